/** What the thread is asked about a password, and what it answers. */

export interface StrengthRequest {
  readonly password: string;
  /** What others know about its user. */
  readonly known: readonly string[];
}

export interface StrengthReply {
  /** From 0 to 4; 3 withstands some 10^8 guesses. */
  readonly score: number;
  /** Why it is weak, in a sentence, where that is known. */
  readonly warning: string | null;
}
