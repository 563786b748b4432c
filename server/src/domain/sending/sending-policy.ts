/** What the operator decided about what leaves the house. */
export interface SendingPolicy {
  /** By which people reach the console; empty where nobody said. */
  readonly publicUrl: string;
  /** News that is older than this when it is recorded is told to machines only. */
  readonly oldNewsMs: number;
}

export const DEFAULT_POLICY: SendingPolicy = { publicUrl: '', oldNewsMs: 3_600_000 };
