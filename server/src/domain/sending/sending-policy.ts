/** What the operator decided about what leaves the house. */
export interface House {
  /** By which people reach the console; empty where nobody said. */
  readonly publicUrl: string;
  /** News that is older than this when it is recorded is told to machines only. */
  readonly oldNewsMs: number;
}

export const PLAIN_HOUSE: House = { publicUrl: '', oldNewsMs: 3_600_000 };
