import type { LogEvent } from './event.ts';
import type { LaneRange, LogBounds } from './log-position.ts';

/**
 * A durable log, and the events that each reader gets from it. Entries become visible in the order of their ids in their
 * lane: a reader that has seen one has seen all before it. `head` is what one moment shows of all lanes.
 */
export interface Source<Entry extends LaneEntry, Who> {
  head(): Promise<readonly number[]>;
  bounds(): Promise<LogBounds>;
  /** Returns up to `limit` entries, by lane and then by id. */
  read(ranges: readonly LaneRange[], limit: number): Promise<Entry[]>;
  /** Called before more entries than fit into one `prepare`, of which later ones may decide about earlier ones. */
  prepareMany(): void;
  /** Loads everything these readers need of the entries; the returned function works from memory alone. */
  prepare(entries: readonly Entry[], readers: readonly Who[]): Promise<(who: Who) => Iterable<LogEvent>>;
}

export interface LaneEntry {
  readonly lane: number;
  readonly id: number;
}
