/** One line of the scale bench: what was measured, what came out, what it had to be. */
export interface Finding {
  readonly what: string;
  readonly median: string;
  /** The worst that was seen: on a busy machine it says more about the machine. */
  readonly worst: string;
  readonly bar: string;
  readonly isMet: boolean;
}
