import { type StoreTrouble, type TroubleKind, WritesRefused } from './trouble.ts';

export interface Problem {
  readonly kind: TroubleKind;
  /** The store still does all it should. */
  readonly isWarning?: boolean;
  /** Nothing is written while it lasts. */
  readonly refuses?: boolean;
  /** For operators: what is wrong and what to do. */
  readonly sentence: string;
}

/** How a store is: what is wrong with it, how often it failed, and when it last stored something. */
export class StoreCondition {
  readonly #problems = new Map<string, Problem>();
  readonly #errors = new Map<TroubleKind, number>();
  readonly #listeners: ((trouble: StoreTrouble) => void)[] = [];
  #refusal: WritesRefused | undefined;
  #isEnforced = false;
  /** When something was last committed, by `performance.now()`. */
  committedAt: number | undefined;
  /** When the database was last checked for damage, in milliseconds since 1970. */
  checkedAt: number | undefined;
  /** The disk of the data folder, in bytes; known of SQLite only. */
  disk: { readonly free: number; readonly total: number; readonly logBytes: number } | undefined;

  /** What is wrong now. */
  get problems(): readonly Problem[] {
    return [...this.#problems.values()];
  }

  /** How often the store failed, by kind. */
  get errors(): ReadonlyMap<TroubleKind, number> {
    return this.#errors;
  }

  /**
   * From now on nothing is written while there is a problem that forbids writes. A start writes before this, so that a
   * damaged store can be read.
   */
  enforce(): void {
    this.#isEnforced = true;
  }

  requireWritable(): void {
    if (this.#isEnforced && this.#refusal !== undefined) throw this.#refusal;
  }

  /** Notes a problem under a name, or that it is over. While there is one that `refuses`, nothing is written. */
  set(name: string, problem: Problem | undefined): void {
    if (problem === undefined) this.#problems.delete(name);
    else this.#problems.set(name, problem);
    const refusing = this.problems.find(({ refuses }) => refuses);
    this.#refusal = refusing && new WritesRefused(refusing.kind, refusing.sentence);
  }

  has(name: string): boolean {
    return this.#problems.has(name);
  }

  /** Counts an error of the store, and calls the listeners. */
  note(trouble: StoreTrouble): void {
    this.#errors.set(trouble.kind, (this.#errors.get(trouble.kind) ?? 0) + 1);
    for (const hear of this.#listeners) hear(trouble);
  }

  onTrouble(hear: (trouble: StoreTrouble) => void): void {
    this.#listeners.push(hear);
  }
}
