/**
 * A log has one or more lanes. Entries have ids that grow within their lane; lanes are independent, so a position in
 * the log is a position in each of them.
 */
export interface LogPosition {
  /** By lane, the last entry whose events were all received. */
  readonly lanes: readonly number[];
  /** The next entry, if some of its events were received. */
  readonly part?: EntryPart;
  /** A position from the time when a log of several lanes had only one. */
  readonly isOfOneLane?: boolean;
}

/** The events of an entry up to an index. */
export interface EntryPart {
  /** Undefined for a position from the time when the log had one lane: then only one lane has an entry with that id. */
  readonly lane: number | undefined;
  readonly entry: number;
  readonly index: number;
}

/** A part of the log to read: entries of a lane after one id and up to another. */
export interface LaneRange {
  readonly lane: number;
  readonly after: number;
  readonly upTo: number;
}

/** The partially received entry, whose remaining events are read first. */
export const partRanges = ({ lanes, part }: LogPosition): LaneRange[] =>
  [...lanes.keys()]
    .filter((lane) => part !== undefined && (part.lane ?? lane) === lane)
    .map((lane) => ({ lane, after: part!.entry - 1, upTo: part!.entry }));

/** The position after an event while reading ranges. */
export function positionAt(
  lanes: readonly number[],
  ranges: readonly LaneRange[],
  { lane, entry, index }: { readonly lane: number; readonly entry: number; readonly index: number },
): LogPosition {
  const after = lanesAfter(
    lanes,
    ranges.filter((range) => range.lane < lane),
  );
  after[lane] = entry - 1;
  return { lanes: after, part: { lane, entry, index } };
}

/** Ranges from one position to another, lane by lane, with at least `limit` ids or all there are. */
export function rangesBetween(from: readonly number[], to: readonly number[], limit: number): LaneRange[] {
  const ranges: LaneRange[] = [];
  let ids = 0;
  for (const [lane, upTo] of to.entries()) {
    const after = from[lane]!;
    if (upTo <= after) continue;
    ranges.push({ lane, after, upTo });
    ids += upTo - after;
    if (ids >= limit) break;
  }
  return ranges;
}

/** The part of the ranges that a read of at most `limit` entries covered. */
export function rangesRead(
  ranges: readonly LaneRange[],
  entries: readonly { readonly lane: number; readonly id: number }[],
  limit: number,
): LaneRange[] {
  const last = entries.at(-1);
  if (last === undefined || entries.length < limit) return [...ranges];
  return ranges
    .filter(({ lane }) => lane <= last.lane)
    .map((range) => (range.lane === last.lane ? { ...range, upTo: last.id } : range));
}

/** The position after ranges. */
export function lanesAfter(lanes: readonly number[], ranges: readonly LaneRange[]): number[] {
  const after = [...lanes];
  for (const { lane, upTo } of ranges) after[lane] = upTo;
  return after;
}

export const isUpTo = (lanes: readonly number[], others: readonly number[]) =>
  lanes.length === others.length && lanes.every((id, lane) => id <= others[lane]!);

/** Whether the reader already received these events of an entry. */
export const hadPart = (
  part: EntryPart | undefined,
  one: { readonly lane: number; readonly entry: number; readonly index: number },
) => part !== undefined && part.entry === one.entry && (part.lane ?? one.lane) === one.lane && one.index <= part.index;

/** The bounds of a log, by lane. */
export interface LogBounds {
  /** The newest entry, even if it has been deleted since. */
  readonly head: readonly number[];
  /** Entries up to this id have been deleted. */
  readonly forgotten: readonly number[];
  /** Up to this id the log had only one lane. */
  readonly since: number;
}

/** Whether a log contains, or contained, this position and everything after it. */
export function isKnown({ lanes, part, isOfOneLane }: LogPosition, { head, forgotten, since }: LogBounds): boolean {
  const newest = part?.entry ?? lanes[0]!;
  if (isOfOneLane && newest > since) return false;
  if (part?.lane !== undefined && part.entry > head[part.lane]!) return false;
  return isUpTo(lanes, head) && isUpTo(forgotten, lanes);
}

/** Whether a position is not past another one in any lane. */
export const isReached = ({ lanes, part }: LogPosition, cursor: LogPosition) =>
  isUpTo(lanes, cursor.lanes) && (part?.lane === undefined || part.entry <= cursor.lanes[part.lane]!);

/**
 * Positions as text, for event ids. With one lane: `12` is after all of entry 12, `12.3` after its event 3. With more:
 * `v` and the smallest id in base 36, then the offset of each lane from it, then lane and index of a partially received
 * entry: `v2s-AAdB….7.0`.
 */

/** Five bits per letter, low ones first; the sixth is a continuation bit. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function lettersOf(count: number): string {
  let text = '';
  let remaining = count;
  do {
    const digit = remaining % 32;
    remaining = Math.floor(remaining / 32);
    text += LETTERS[remaining > 0 ? digit + 32 : digit];
  } while (remaining > 0);
  return text;
}

/** Undefined if the letters are not exactly this many numbers. */
function numbersOf(letters: string, count: number): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let unit = 1;
  for (const letter of letters) {
    const value = LETTERS.indexOf(letter);
    number += (value % 32) * unit;
    unit *= 32;
    if (value >= 32) continue;
    numbers.push(number);
    number = 0;
    unit = 1;
  }
  return unit === 1 && numbers.length === count && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}

const least = (lanes: readonly number[]) => lanes.reduce((a, b) => Math.min(a, b));
const headOf = (base: number) => `v${base.toString(36)}-`;

/** After all entries up to a position. */
export function textOfLanes(lanes: readonly number[]): string {
  if (lanes.length === 1) return String(lanes[0]);
  const base = least(lanes);
  return headOf(base) + lanes.map((id) => lettersOf(id - base)).join('');
}

export function textOf({ lanes, part, isOfOneLane }: LogPosition): string {
  if (isOfOneLane) return part ? `${part.entry}.${part.index}` : String(lanes[0]);
  if (part?.lane === undefined) return textOfLanes(lanes);
  return eventTexts(lanes, [])(part.lane, part.entry, part.index);
}

/**
 * The positions of events while reading ranges, lane by lane.
 * @returns the text for an event
 */
export function eventTexts(
  lanes: readonly number[],
  ranges: readonly LaneRange[],
): (lane: number, entry: number, index: number) => string {
  if (lanes.length === 1) return (_, entry, index) => `${entry}.${index}`;
  const base = least(lanes);
  const before = lanes.map((id) => lettersOf(id - base));
  const after = [...before];
  for (const { lane, upTo } of ranges) after[lane] = lettersOf(upTo - base);
  const around = new Map<number, readonly [string, string]>();
  return (lane, entry, index) => {
    let ends = around.get(lane);
    if (ends === undefined) {
      ends = [headOf(base) + after.slice(0, lane).join(''), before.slice(lane + 1).join('')];
      around.set(lane, ends);
    }
    return `${ends[0]}${lettersOf(entry - base)}${ends[1]}.${lane}.${index}`;
  };
}

/** Returns undefined if the text is not a position in a log with this many lanes. */
export function positionOf(text: string, laneCount: number): LogPosition | undefined {
  const oneNumber = /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (oneNumber !== null) return ofOneNumber(Number(oneNumber[1]), oneNumber[2], laneCount);
  const match = /^v([0-9a-z]{1,10})-([\w-]{1,1000})(?:\.(\d{1,3})\.(\d{1,9}))?$/.exec(text.trim());
  const pasts = match && laneCount > 1 ? numbersOf(match[2]!, laneCount) : undefined;
  if (match === null || pasts === undefined) return undefined;
  const base = Number.parseInt(match[1]!, 36);
  const lanes = pasts.map((past) => base + past);
  if (match[3] === undefined) return { lanes };
  const lane = Number(match[3]);
  if (lane >= laneCount) return undefined;
  const part: EntryPart = { lane, entry: lanes[lane]!, index: Number(match[4]) };
  lanes[lane]!--;
  return { lanes, part };
}

/** With more lanes: from the time when the log had only one. */
function ofOneNumber(entry: number, index: string | undefined, laneCount: number): LogPosition {
  const isWhole = index === undefined;
  const lanes = new Array<number>(laneCount).fill(isWhole ? entry : entry - 1);
  if (isWhole) return laneCount > 1 ? { lanes, isOfOneLane: true } : { lanes };
  const part: EntryPart = { lane: laneCount > 1 ? undefined : 0, entry, index: Number(index) };
  return laneCount > 1 ? { lanes, part, isOfOneLane: true } : { lanes, part };
}
