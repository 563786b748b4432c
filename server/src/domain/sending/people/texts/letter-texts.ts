/** What letters and messages on a screen say around the sentences of notifications. */
export interface LetterTexts {
  readonly device: string;
  readonly when: string;
  /** Before the address of a map, in plain text. */
  readonly onMap: string;
  /** The link itself. */
  readonly showOnMap: string;
  /** After a time. */
  readonly late: string;
  readonly many: (count: number) => string;
  readonly more: (count: number) => string;
  readonly test: string;
  readonly unnamedDevice: (id: number) => string;
  /** Around a name that a user chose. */
  readonly quotes: readonly [open: string, close: string];
}
