import { createHash } from 'node:crypto';
import type { Cell } from '../shape.ts';
import type { TargetColumn } from './target.ts';

const MODULUS = 2n ** 128n;

/** What a set of rows is recognised by, in whatever order they come. */
export class Checksum {
  readonly #isJson: readonly boolean[];
  #sum = 0n;
  rows = 0;

  constructor(columns: readonly TargetColumn[]) {
    this.#isJson = columns.map(({ kind }) => kind === 'json');
  }

  add(cells: readonly Cell[]): void {
    const text = JSON.stringify(cells.map((cell, index) => this.#canonical(cell, this.#isJson[index]!)));
    const hash = createHash('sha256').update(text).digest();
    this.#sum = (this.#sum + ((hash.readBigUInt64BE(0) << 64n) | hash.readBigUInt64BE(8))) % MODULUS;
    this.rows += 1;
  }

  /** PostgreSQL keeps what a JSON text means, not how it was written. */
  #canonical(cell: Cell, isJson: boolean): string | null {
    if (cell === null) return null;
    return isJson ? sorted(JSON.parse(String(cell))) : String(cell);
  }

  toString(): string {
    return `${this.rows} rows, ${this.#sum.toString(16).padStart(32, '0')}`;
  }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
