import type { TrialResult } from '../trial.ts';
import type { Account } from './account.ts';

const SHOWN = 5;

/** Adds up what the tries of a trial found, and prints the first of what is wrong. */
export class Tally {
  #lost = 0;
  #doubled = 0;
  #faults = 0;
  readonly #notes = new Map<string, number>();

  add({ lost, doubled }: Account): void {
    this.#lost += lost.length;
    this.#doubled += doubled.length;
    show('lost', lost);
    show('doubled', doubled);
  }

  fault(what: readonly string[]): void {
    this.#faults += what.length;
    show('fault', what);
  }

  note(name: string, count: number): void {
    this.#notes.set(name, (this.#notes.get(name) ?? 0) + count);
  }

  text(): string {
    return [...this.#notes].map(([name, count]) => `${count.toLocaleString('en')} ${name}`).join(', ');
  }

  result(tries: number): TrialResult {
    return { tries, faults: this.#faults, lost: this.#lost, doubled: this.#doubled, note: this.text() };
  }
}

function show(what: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, SHOWN)) console.log(`  ${what}: ${line.slice(0, 300)}`);
  if (lines.length > SHOWN) console.log(`  ${what}: and ${lines.length - SHOWN} more`);
}
