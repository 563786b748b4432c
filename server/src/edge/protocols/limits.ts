/** What one request may bring. Overland sends up to 1 000 positions at a time, the others hardly more than one. */
export const MAX_POSITIONS = 2000;
export const MAX_READINGS = 10_000;

/** Per position; what comes after them is left out. */
export const MAX_ATTRIBUTES = 100;
/** Of a query or form. */
export const MAX_PAIRS = 500;

/** Characters. */
export const MAX_TYPE = 100;
export const MAX_TEXT = 1000;
export const MAX_NAME = 200;
export const MAX_KEY = 500;
