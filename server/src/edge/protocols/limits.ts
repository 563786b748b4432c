/** Limits of one request. Overland sends up to 1,000 positions at a time, other apps rarely more than one. */
export const MAX_POSITIONS = 2000;
export const MAX_READINGS = 10_000;

/** Per position; further attributes are ignored. */
export const MAX_ATTRIBUTES = 100;
/** Pairs of one query or form. */
export const MAX_PAIRS = 500;

/** Characters of a reading type. */
export const MAX_TYPE = 100;
export const MAX_TEXT = 1000;
export const MAX_NAME = 200;
export const MAX_KEY = 500;
