import { type Language, LOCALES } from '@trackway/contract/wording/languages.ts';
import { REPORT_WORDS } from '@trackway/contract/wording/reports/report-wordings.ts';
import { harmless } from '../../../platform/harmless-text.ts';
import type { Content } from '../../../platform/outbox/channel.ts';
import type { ReportFile } from '../files/report-file.ts';
import type { ReportCell } from '../files/table.ts';
import { MAIL_TEXTS } from './mail-texts.ts';

/** The mail that a report goes out with: its first rows as a table, and the file. */

export interface ReportLetter {
  readonly name: string;
  readonly kind: keyof (typeof REPORT_WORDS)['en']['kinds'];
  readonly from: number;
  readonly to: number;
  readonly tz: string;
  readonly language: Language;
  /** The address of the page; undefined where nobody set that of the console. */
  readonly link?: string;
  readonly file: ReportFile;
  readonly fileName: string;
  readonly fileType: string;
}

/** The file has them all. */
export const SHOWN_ROWS = 50;

export function letterOf(report: ReportLetter): Content {
  const { kind, tz, language, link, file, fileName, fileType } = report;
  const texts = MAIL_TEXTS[language];
  const name = harmless(report.name);
  const title = `${name}: ${periodOf(report)}`;
  const about = REPORT_WORDS[language].kinds[kind];
  const cell = cellIn(language, tz);
  const { head, rows } = file.table;
  const lines = rows.map((row) => row.map(cell));
  const notes = [
    file.rowCount === 0 ? texts.nothing : texts.rows(file.rowCount, lines.length),
    ...(file.isComplete ? [] : [texts.incomplete]),
    texts.attached(fileName),
  ];
  const base64 = Buffer.from(file.bytes).toString('base64');
  return {
    type: 'text/plain',
    subject: title,
    text: [
      title,
      about,
      '',
      ...lines.map((line) => line.map((text, index) => `${head[index]}: ${text}`).join(' | ')),
      '',
      ...notes,
      ...(link ? ['', link] : []),
      '',
    ].join('\n'),
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body><h2>${escaped(title)}</h2><p>${escaped(about)}</p>${
      lines.length === 0 ? '' : tableOf(head, lines)
    }${notes.map((note) => `<p>${escaped(note)}</p>`).join('')}${
      link ? `<p><a href="${escaped(link)}">${escaped(texts.open)}</a></p>` : ''
    }</body></html>`,
    attachments: [{ name: fileName, type: fileType, base64 }],
  };
}

const CELL = 'style="border:1px solid #ccc;padding:4px 8px;text-align:left"';
const tableOf = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  `<table style="border-collapse:collapse"><tr>${head.map((label) => `<th ${CELL}>${escaped(label)}</th>`).join('')}</tr>${lines
    .map((line) => `<tr>${line.map((text) => `<td ${CELL}>${escaped(text)}</td>`).join('')}</tr>`)
    .join('')}</table>`;

function periodOf({ from, to, tz, language }: ReportLetter): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], { timeZone: tz, dateStyle: 'medium' });
  return format.formatRange(from, to - 1);
}

/** Names in it were chosen by users: nothing of them can be clicked. */
function cellIn(language: Language, timeZone: string): (cell: ReportCell) => string {
  const time = new Intl.DateTimeFormat(LOCALES[language], { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const number = new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 5 });
  return (cell) => {
    if (cell === null) return '–';
    if (typeof cell === 'string') return harmless(cell);
    return typeof cell === 'number' ? number.format(cell) : time.format(cell.time);
  };
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
