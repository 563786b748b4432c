/** One row of the scale bench: what was measured, the result, and the requirement. */
export interface Finding {
  readonly what: string;
  readonly median: string;
  /** The worst value: on a busy machine it says more about the machine. */
  readonly worst: string;
  readonly bar: string;
  readonly isMet: boolean;
}
