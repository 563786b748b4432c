/**
 * A log has one or more lanes. Entries have ids that grow within their lane; lanes do not wait for each other, so a place
 * in the log is a place in each of them.
 */
export interface LogPosition {
  /** By lane, the last entry whose events were all received. */
  readonly lanes: readonly number[];
  /** The entry after that, of which some events were received. */
  readonly part?: EntryPart;
  /** From the time when a log of several lanes had only one. */
  readonly isOfOneLane?: boolean;
}

/** The events of an entry up to an index. */
export interface EntryPart {
  /** Not known of a place from the time when the log had only one: then only one lane has an entry of that id. */
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

/** The entry of which a part was received, to read the rest of it before anything else. */
export const partRanges = ({ lanes, part }: LogPosition): LaneRange[] =>
  [...lanes.keys()]
    .filter((lane) => part !== undefined && (part.lane ?? lane) === lane)
    .map((lane) => ({ lane, after: part!.entry - 1, upTo: part!.entry }));

/** After an event on the way through ranges. */
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

/** Ranges that lead from one place to another, lane by lane, with at least `limit` ids or all there are. */
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

/** What of the ranges was read, where no more than `limit` entries were. */
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

/** Where one is after ranges. */
export function lanesAfter(lanes: readonly number[], ranges: readonly LaneRange[]): number[] {
  const after = [...lanes];
  for (const { lane, upTo } of ranges) after[lane] = upTo;
  return after;
}

export const isUpTo = (lanes: readonly number[], others: readonly number[]) =>
  lanes.length === others.length && lanes.every((id, lane) => id <= others[lane]!);

/** Whether the reader had these events of an entry already. */
export const hadPart = (
  part: EntryPart | undefined,
  one: { readonly lane: number; readonly entry: number; readonly index: number },
) => part !== undefined && part.entry === one.entry && (part.lane ?? one.lane) === one.lane && one.index <= part.index;

/** How far a log goes, by lane. */
export interface LogBounds {
  /** The newest entry, even if it has been deleted since. */
  readonly head: readonly number[];
  /** Entries up to this id have been deleted. */
  readonly forgotten: readonly number[];
  /** Up to this id the log had only one lane. */
  readonly since: number;
}

/** Whether a log has, or had, this place, and all that follows it. */
export function isKnown({ lanes, part, isOfOneLane }: LogPosition, { head, forgotten, since }: LogBounds): boolean {
  const newest = part?.entry ?? lanes[0]!;
  if (isOfOneLane && newest > since) return false;
  if (part?.lane !== undefined && part.entry > head[part.lane]!) return false;
  return isUpTo(lanes, head) && isUpTo(forgotten, lanes);
}

/** Whether a place is not past another one in any lane. */
export const isReached = ({ lanes, part }: LogPosition, cursor: LogPosition) =>
  isUpTo(lanes, cursor.lanes) && (part?.lane === undefined || part.entry <= cursor.lanes[part.lane]!);
