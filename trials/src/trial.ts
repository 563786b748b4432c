/** What a trial found. */
export interface TrialResult {
  /** How often it was tried. */
  readonly tries: number;
  /** Faults of the server: what it must not do, except for losses and duplicates. 0 is expected. */
  readonly faults: number;
  /** Acknowledged and missing. */
  readonly lost: number;
  /** Items, events or outbox rows that exist twice. */
  readonly doubled: number;
  /** Further figures, for the table. */
  readonly note: string;
}

export interface Trial {
  /** One line for `--help` and the table. */
  readonly about: string;
  /** Tries of a quick run, and of a full one, whose figures are published. */
  readonly tries: { readonly quick: number; readonly full: number };
  /** What keeps it from running here; undefined if nothing does. */
  readonly missing?: () => string | undefined;
  /** A control must find faults: it shows that the trial can. */
  readonly isControl?: boolean;
  run(tries: number, progress: Progress): Promise<TrialResult>;
}

/** Reports the progress of a trial. */
export type Progress = (done: number, text?: string) => void;

/** A control must lose data. */
export const isMet = ({ isControl }: Trial, { faults, lost, doubled }: TrialResult) =>
  isControl ? lost > 0 : faults === 0 && lost === 0 && doubled === 0;
