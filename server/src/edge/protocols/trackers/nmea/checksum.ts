import { xorOf } from '../bytes.ts';

/** Whether a sentence has a checksum, between `*` and what follows, that is not that of its characters. */
export function isChecksumWrong(sentence: string): boolean {
  const [whole, given] = /^\$[^*]*\*([0-9A-F]{2})/i.exec(sentence) ?? [];
  if (whole === undefined) return false;
  const covered = Buffer.from(whole.slice(1, -3), 'latin1');
  return xorOf(covered, 0, covered.length) !== Number.parseInt(given!, 16);
}
