import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, machine } from './machine.ts';
import { ROOT } from './root.ts';
import type { TrialResult } from './trial.ts';

export interface Row {
  readonly name: string;
  readonly about: string;
  readonly result?: TrialResult;
  readonly verdict?: 'pass' | 'MISS';
  readonly seconds?: number;
  /** Why it did not run. */
  readonly missing?: string;
}

const PAGE = join(ROOT, 'docs/operations/reliability.md');
const [BEGIN, END] = ['<!-- figures -->', '<!-- end of figures -->'];
const HEAD = ['Trial', 'Tries', 'Faults', 'Lost', 'Duplicated', 'Result', 'Other figures', 'Commit'];

export const tableOf = (rows: readonly Row[]) => table(rows.map(lineOf));

const table = (lines: readonly string[]) =>
  [`| ${HEAD.join(' | ')} |`, `|${HEAD.map(() => '---').join('|')}|`, ...lines].join('\n');

function lineOf({ name, about, result, verdict, missing }: Row): string {
  const figures = result ? [result.tries, result.faults, result.lost, result.doubled].map(grouped) : Array(4).fill('–');
  const seen = missing ?? result?.note ?? '';
  return `| ${[`\`${name}\`: ${about}`, ...figures, verdict ?? '–', seen, commit()].join(' | ')} |`;
}

const grouped = (value: number) => value.toLocaleString('en');

/** Writes the lines of these trials into the table of the page; the others stay. */
export function publish(rows: readonly Row[], order: readonly string[]): void {
  const text = readFileSync(PAGE, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(BEGIN) + BEGIN.length), text.slice(text.indexOf(END))];
  const lines = new Map(
    [...text.slice(before.length).matchAll(/^\| `(?<name>[\w-]+)`: .*$/gm)].map(({ 0: line, groups }) => [
      groups!.name!,
      line,
    ]),
  );
  for (const row of rows) lines.set(row.name, lineOf(row));
  const sorted = order.filter((name) => lines.has(name)).map((name) => lines.get(name)!);
  writeFileSync(PAGE, `${before}\n${machine()}.\n\n${table(sorted)}\n${after}`);
}
