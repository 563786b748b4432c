import type { Ledger } from './ledger.ts';

/** Pause of a destination whose waiting rows must all wait for an earlier one. */
const COOLDOWN_MS = 1000;

/** Finds destinations with waiting rows that no process serves, one page at a time. */
export class DueDestinations {
  readonly #ledger: Ledger;
  readonly #coolingDown = new Map<number, number>();
  #isAsked = true;
  #mayBeOrphaned = true;
  #after = 0;
  /** The cost of the last search through all of them, and of the current one so far. */
  #costMs = 0;
  #spentMs = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** There may be new rows. */
  ask(): void {
    this.#isAsked = true;
  }

  /** A process may have died. */
  askForOrphans(): void {
    this.#mayBeOrphaned = true;
  }

  get costMs(): number {
    return this.#costMs;
  }

  coolDown(id: number, now: number): void {
    this.#coolingDown.set(id, now + COOLDOWN_MS);
  }

  /** Some of them, by id, and whether there may be more. */
  async find(
    isKnown: (id: number) => boolean,
    most: number,
    now: number,
  ): Promise<{ readonly ids: readonly number[]; readonly hasMore: boolean }> {
    if (!this.#isAsked && this.#after === 0) return { ids: [], hasMore: false };
    if (this.#after === 0) this.#isAsked = false;
    const began = performance.now();
    const { found, next } = await this.#ledger.waiting(this.#after, now);
    this.#spentMs += performance.now() - began;
    const ids = found
      .filter((waiting) => waiting.isDue === 1 && waiting.state !== 'off' && (waiting.nextTryAt ?? 0) <= now)
      .filter((waiting) => this.#ledger.isFree(waiting, now))
      .map(({ id }) => id);
    if (this.#mayBeOrphaned) {
      this.#mayBeOrphaned = false;
      ids.push(...(await this.#ledger.orphaned(now)));
    }
    for (const [id, until] of this.#coolingDown) if (until <= now) this.#coolingDown.delete(id);
    const fresh = [...new Set(ids)].filter((id) => !isKnown(id) && !this.#coolingDown.has(id)).sort((a, b) => a - b);
    const taken = fresh.slice(0, Math.max(0, most));
    // Without capacity for any, the next search starts from the beginning.
    const isCut = taken.length > 0 && taken.length < fresh.length;
    this.#after = isCut ? taken.at(-1)! : (next ?? 0);
    if (this.#after === 0) [this.#costMs, this.#spentMs] = [this.#spentMs, 0];
    return { ids: taken, hasMore: isCut || next !== undefined };
  }
}
