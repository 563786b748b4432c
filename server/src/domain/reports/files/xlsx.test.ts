import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzipTexts } from '../../../testing/drives/unzip.ts';
import { xlsxOf } from './report-file.ts';

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The cells of the only sheet, as a spreadsheet would read them. */
function readBack(bytes: Uint8Array): (string | number | null)[][] {
  const files = unzipTexts(Buffer.from(bytes));
  const shared = [...(files.get('xl/sharedStrings.xml') ?? '').matchAll(/<si>.*?<t[^>]*>(.*?)<\/t>.*?<\/si>/gs)].map(
    ([, text]) => decoded(text!),
  );
  const sheet = files.get('xl/worksheets/sheet1.xml')!;
  assert.doesNotMatch(sheet, /<f>/, 'no cell is a formula');
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row]) =>
    [...row!.matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)].map(([, attributes, content = '']) => {
      const value = /<v>(.*?)<\/v>/s.exec(content)?.[1];
      if (value === undefined) return decoded(/<t[^>]*>(.*?)<\/t>/s.exec(content)?.[1] ?? '') || null;
      return attributes!.includes('t="s"') ? shared[Number(value)]! : Number(value);
    }),
  );
}

test('texts, numbers and times are what they were, and nothing is a formula', async () => {
  const time = Date.parse('2026-06-01T22:30:00Z');
  const head = ['Device', 'Start', 'Distance (m)'];
  const rows = [
    ['=HYPERLINK("x")', { time }, -3.5],
    ['A & B <c>\u0000', null, 12],
  ];
  const [first, second, third] = readBack(await xlsxOf({ head, rows }, 'Trips: all/none', 'Europe/Berlin'));
  assert.deepEqual(first, head);
  assert.deepEqual([second![0], second![2]], ['=HYPERLINK("x")', -3.5]);
  // Days since the end of 1899, of the wall clock in Berlin: half past midnight of June 2nd.
  const days = (Date.parse('2026-06-02T00:30:00Z') - Date.parse('1899-12-30T00:00:00Z')) / 86_400_000;
  assert.ok(Math.abs((second![1] as number) - days) < 1e-6);
  assert.equal(third![0], 'A & B <c>');
  assert.equal(third!.at(-1), 12);
});

test('a report of many rows is a file of moderate size', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`Van ${index % 50}`, { time: index * 60_000 }, index]);
  const bytes = await xlsxOf({ head: ['Device', 'Start', 'Distance'], rows }, 'Trips', 'UTC');
  assert.ok(bytes.length < 2_000_000, String(bytes.length));
  assert.equal(readBack(bytes).length, 20_001);
});
