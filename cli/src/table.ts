type Cell = string | number | null | undefined;

/** Rows below their heads, each column as wide as its widest cell. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [heads, ...rows.map((row) => row.map((cell) => oneLine(String(cell ?? ''))))];
  const widths = heads.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What others wrote must not move the cursor of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are taken out.
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
