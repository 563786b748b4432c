export type Cells = readonly string[];

/** Prints a table to standard output: text left-aligned, numbers right-aligned. */
export function printTable(title: string, head: Cells, rows: readonly Cells[]): void {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)));
  const line = (row: Cells) => `| ${row.map((cell, i) => aligned(cell, widths[i]!)).join(' | ')} |`;
  console.log(`\n${title}\n`);
  console.log(line(head));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(line(row));
}

function aligned(cell: string, width: number): string {
  return /^[\d–]/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
}

export function number(value: number, digits = 0): string {
  return Number.isFinite(value)
    ? value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
    : '–';
}

export const verdict = (isMet: boolean) => (isMet ? 'pass' : 'MISS');
