/** A place in a log: an entry, and the last of its events that was had. */
export interface LogPosition {
  readonly entry: number;
  readonly index: number;
}

/** Past every event of an entry. */
export const WHOLE = Number.POSITIVE_INFINITY;

export const positionAfter = (entry: number): LogPosition => ({ entry, index: WHOLE });

/** The last entry of which nothing is missing. */
export const hadWhole = ({ entry, index }: LogPosition) => (index === WHOLE ? entry : entry - 1);

export const isAfter = (one: LogPosition, other: LogPosition) =>
  one.entry > other.entry || (one.entry === other.entry && one.index > other.index);

/** `12` is past all of entry 12, `12.3` past its event 3. */
export const textOf = ({ entry, index }: LogPosition) => (index === WHOLE ? `${entry}` : `${entry}.${index}`);

/** Undefined where the text is none of ours. */
export function positionOf(text: string): LogPosition | undefined {
  const match = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (match === null) return undefined;
  return { entry: Number(match[1]), index: match[2] === undefined ? WHOLE : Number(match[2]) };
}
