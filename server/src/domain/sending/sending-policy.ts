/** What the operator decided about sending. */
export interface SendingPolicy {
  /** The address of the console; empty where nobody set it. */
  readonly publicUrl: string;
  /** News that is older than this when it is recorded is sent to machines only. */
  readonly oldNewsMs: number;
}

export const DEFAULT_POLICY: SendingPolicy = { publicUrl: '', oldNewsMs: 3_600_000 };
