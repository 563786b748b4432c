/** A process that shares the database with others, as it last told of itself. */
export interface NodeRow {
  id: string;
  name: string;
  version: string;
  /** The newest migration that it knows. */
  schema: string;
  address: string;
  startedAt: number;
  seenAt: number;
  /** When it stopped, or was found to be gone. */
  goneAt: number | null;
  lagMs: number;
  clockAheadMs: number;
  /** JSON of its rates, streams and memory. */
  figures: string;
  /** JSON: what it alone does, and how many of it. */
  owns: string;
}

/** What all nodes have counted of a key in a minute. */
export interface RateCountRow {
  minute: number;
  name: string;
  key: string;
  count: number;
}
