import type { Effects } from '../evaluate/advance.ts';

/**
 * How much one transaction evaluates. All devices share one writer, so none may hold it for long: what a report brings
 * beyond this follows in later transactions. It is counted in units of about 10 µs, not by the clock, so that the same
 * reports are always cut in the same places.
 */
export interface Budget {
  left: number;
  /** What each device may use in any case, so that a report of a few positions is never cut. */
  readonly own: number;
}

/** About 25 ms. */
export const TRANSACTION_UNITS = 2500;
/** A transaction of a large report does less: what waits for it is mostly of others. */
export const HEAVY_UNITS = 500;
const OWN_UNITS = 40;

export const budgetOf = (units: number): Budget => ({ left: units, own: Math.min(OWN_UNITS, units) });

const INPUT = 1;
const ASKED = 0.1;
/** A notification with its event, and what is sent of it. */
const FIRING = 10;
const JOURNEY = 10;

const unitsOf = ({ asked, firings, trips, stops }: Effects) =>
  asked * ASKED + firings.length * FIRING + (trips.length + stops.length) * JOURNEY;

/** What one device uses of a budget. Nothing is spent before the first input, so there is always progress. */
export class Spending {
  readonly #budget: Budget;
  readonly #effects: Effects;
  #counted: number;
  #own: number;

  constructor(budget: Budget, effects: Effects) {
    this.#budget = budget;
    this.#effects = effects;
    this.#counted = unitsOf(effects);
    this.#own = budget.own;
  }

  /** Called after each input that was evaluated. */
  evaluated(): void {
    const all = unitsOf(this.#effects);
    const units = INPUT + all - this.#counted;
    this.#counted = all;
    this.#own -= units;
    this.#budget.left -= units;
  }

  get isSpent(): boolean {
    return this.#own <= 0 && this.#budget.left <= 0;
  }
}
