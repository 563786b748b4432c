import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { machine } from './machine.ts';
import { ROOT } from './root.ts';
import type { TrialResult } from './trial.ts';

export interface Row {
  readonly name: string;
  readonly about: string;
  readonly result?: TrialResult;
  readonly verdict?: 'pass' | 'MISS';
  readonly seconds?: number;
  /** Why it was not tried. */
  readonly missing?: string;
}

const PAGE = join(ROOT, 'docs/reliability.md');
const [BEGIN, END] = ['<!-- figures -->', '<!-- end of figures -->'];

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, about, result, verdict, missing }) => {
    const figures = result
      ? [result.tries, result.faults, result.lost, result.doubled].map(grouped)
      : ['–', '–', '–', '–'];
    return `| ${[`\`${name}\`: ${about}`, ...figures, verdict ?? '–', missing ?? result?.note ?? ''].join(' | ')} |`;
  });
  const head = ['Trial', 'Tries', 'Faults', 'Lost', 'Doubled', 'Bar', 'Also seen'];
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines].join('\n');
}

const grouped = (value: number) => value.toLocaleString('en');

/** Replaces the table of the page. */
export function publish(rows: readonly Row[]): void {
  const text = readFileSync(PAGE, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(BEGIN) + BEGIN.length), text.slice(text.indexOf(END))];
  writeFileSync(PAGE, `${before}\n${machine()}.\n\n${tableOf(rows)}\n${after}`);
}
