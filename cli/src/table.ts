type Cell = string | number | null | undefined;

/** A text table with a header row. Each column is as wide as its widest cell. */
export function table(headers: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = [headers, ...rows.map((row) => row.map((cell) => oneLine(String(cell ?? ''))))];
  const widths = headers.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Removes control characters, since text from others must not control the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
