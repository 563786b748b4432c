/** A position in a log: an entry, and the last of its events that was received. */
export interface LogPosition {
  readonly entry: number;
  readonly index: number;
}

/** After every event of an entry. */
export const WHOLE = Number.POSITIVE_INFINITY;

export const positionAfter = (entry: number): LogPosition => ({ entry, index: WHOLE });

/** The last entry whose events were all received. */
export const hadWhole = ({ entry, index }: LogPosition) => (index === WHOLE ? entry : entry - 1);

export const isAfter = (one: LogPosition, other: LogPosition) =>
  one.entry > other.entry || (one.entry === other.entry && one.index > other.index);

/** `12` means after all of entry 12, `12.3` after its event 3. */
export const textOf = ({ entry, index }: LogPosition) => (index === WHOLE ? `${entry}` : `${entry}.${index}`);

/** Returns undefined if the text is not a position. */
export function positionOf(text: string): LogPosition | undefined {
  const match = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (match === null) return undefined;
  return { entry: Number(match[1]), index: match[2] === undefined ? WHOLE : Number(match[2]) };
}
