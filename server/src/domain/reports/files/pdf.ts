/** A table as a PDF file, A4 landscape: title and notes first, headings repeated on each page. */

interface PaperReport {
  readonly title: string;
  /** Lines below the title. */
  readonly notes: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly language: string;
  readonly pageText: (page: { page: number; pages: number }) => string;
}

const MARGIN = 36;
const PAD = 3;
const SIZE = 8;
const LINE = 10;
const MOST_LINES = 3;
/** Widths of columns, in characters. */
const [NARROWEST, WIDEST] = [5, 32];
const SAMPLED_ROWS = 200;
const [PLAIN, BOLD] = ['Helvetica', 'Helvetica-Bold'];

export async function pdfOf({ title, notes, head, rows, language, pageText }: PaperReport): Promise<Uint8Array> {
  const { default: PDFDocument } = await import('pdfkit');
  const info = { Title: printable(title), Producer: 'Trackway', Creator: 'Trackway' };
  // Pages wait for their number, which names the last one.
  const options = { size: 'A4', layout: 'landscape', margin: MARGIN, bufferPages: true } as const;
  const doc = new PDFDocument({ ...options, info, lang: language, font: PLAIN });
  const parts: Uint8Array[] = [];
  const written = new Promise<void>((resolve, reject) => doc.on('end', resolve).on('error', reject));
  doc.on('data', (part: Uint8Array) => parts.push(part));
  const right = doc.page.width - MARGIN;
  const bottom = doc.page.height - MARGIN - 2 * LINE;
  const widths = widthsOf(head, rows, right - MARGIN);
  const write = (text: string, x: number, y: number) => doc.text(text, x, y, { lineBreak: false });

  function linesOf(text: string, width: number): string[] {
    const lines: string[] = [];
    let line = '';
    for (const word of wordsOf(printable(text), width, (part) => doc.widthOfString(part))) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line === '' || doc.widthOfString(longer) <= width) line = longer;
      else {
        lines.push(line);
        line = word;
      }
    }
    lines.push(line);
    if (lines.length <= MOST_LINES) return lines;
    let last = lines[MOST_LINES - 1]!;
    while (last !== '' && doc.widthOfString(`${last}…`) > width) last = last.slice(0, -1);
    return [...lines.slice(0, MOST_LINES - 1), `${last}…`];
  }

  /** Returns where the next row starts. */
  function drawRow(cells: readonly (readonly string[])[], y: number): number {
    let x = MARGIN;
    for (const [index, lines] of cells.entries()) {
      for (const [at, line] of lines.entries()) if (line !== '') write(line, x + PAD, y + PAD + at * LINE);
      x += widths[index]!;
    }
    const end = y + heightOf(cells);
    doc.moveTo(MARGIN, end).lineTo(right, end).lineWidth(0.4).strokeColor('#c8c8c8').stroke();
    return end;
  }
  const cellsOf = (row: readonly string[]) => row.map((text, index) => linesOf(text, widths[index]! - 2 * PAD));
  function drawHead(y: number): number {
    doc.font(BOLD);
    const cells = cellsOf(head);
    doc
      .rect(MARGIN, y, right - MARGIN, heightOf(cells))
      .fill('#eef1f4')
      .fillColor('#000000');
    const end = drawRow(cells, y);
    doc.font(PLAIN);
    return end;
  }

  doc.font(BOLD).fontSize(16);
  write(printable(title), MARGIN, MARGIN);
  doc.font(PLAIN).fontSize(SIZE);
  let y = MARGIN + 24;
  for (const note of notes) {
    write(printable(note), MARGIN, y);
    y += LINE + 2;
  }
  y = drawHead(y + PAD);
  for (const row of rows) {
    // A row with a single cell is a sentence over all columns.
    const isNote = row.length === 1 && head.length > 1;
    const cells = isNote ? [[printable(row[0]!)]] : cellsOf(row);
    if (y + heightOf(cells) > bottom) {
      doc.addPage();
      y = drawHead(MARGIN);
    }
    y = drawRow(cells, y);
  }
  const { count: pages } = doc.bufferedPageRange();
  for (let page = 0; page < pages; page++) {
    doc.switchToPage(page);
    const text = printable(pageText({ page: page + 1, pages }));
    write(text, right - doc.widthOfString(text), bottom + LINE);
  }
  doc.end();
  await written;
  return Buffer.concat(parts);
}

const heightOf = (cells: readonly (readonly string[])[]) =>
  Math.max(1, ...cells.map((lines) => lines.length)) * LINE + 2 * PAD - 2;

/** Wide columns for long texts; headings break between words only. */
function widthsOf(head: readonly string[], rows: readonly (readonly string[])[], total: number): number[] {
  const wanted = head.map((label, index) => {
    const word = Math.max(...label.split(' ').map(({ length }) => length)) + 2;
    const longest = rows.slice(0, SAMPLED_ROWS).reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0);
    return Math.min(WIDEST, Math.max(NARROWEST, word, longest));
  });
  const sum = wanted.reduce((all, one) => all + one, 0);
  return wanted.map((one) => (one / sum) * total);
}

/** The words of a text; one that is too wide for a line is divided. */
function wordsOf(text: string, width: number, widthOf: (text: string) => number): string[] {
  return text.split(/\s+/).flatMap((word) => {
    const parts: string[] = [];
    let part = '';
    for (const letter of word) {
      if (part !== '' && widthOf(part + letter) > width) {
        parts.push(part);
        part = '';
      }
      part += letter;
    }
    return [...parts, part];
  });
}

/** What the fonts that every PDF viewer has can show, beyond Latin-1. */
const MORE = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const isPrintable = (letter: string) => /^[\x20-\x7e\xa1-\xff]$/.test(letter) || MORE.includes(letter);

/** Other letters lose their accents, or become question marks. */
function printable(text: string): string {
  let shown = '';
  for (const letter of text
    .normalize('NFC')
    .replaceAll(/[\s\p{C}\p{Zs}]+/gu, ' ')
    .replaceAll('−', '-')) {
    const plain = isPrintable(letter) ? letter : letter.normalize('NFKD').replaceAll(/\p{M}/gu, '');
    shown += plain !== '' && [...plain].every(isPrintable) ? plain : '?';
  }
  return shown;
}
