import { type Charset, complement, lastCodePoint, sizeOf } from './charset.ts';
import type { Regexp } from './regexp.ts';

/** The syntax that differs between the engines; everything else has the same meaning in both. */
interface Dialect {
  readonly boundary: string;
  readonly noBoundary: string;
  readonly anyCharacter: string;
}

const re2: Dialect = { boundary: '\\b', noBoundary: '\\B', anyCharacter: '[\\s\\S]' };
const postgres: Dialect = { boundary: '\\y', noBoundary: '\\Y', anyCharacter: '.' };

export const re2Text = (regexp: Regexp) => written(regexp, re2);
export const postgresText = (regexp: Regexp) => written(regexp, postgres);

function written(regexp: Regexp, dialect: Dialect): string {
  switch (regexp.node) {
    case 'start':
      return '^';
    case 'end':
      return '$';
    case 'boundary':
      return dialect.boundary;
    case 'noBoundary':
      return dialect.noBoundary;
    case 'set':
      return writtenSet(regexp.set, dialect);
    case 'sequence':
      return regexp.of.map((one) => (one.node === 'choice' ? grouped(one, dialect) : written(one, dialect))).join('');
    case 'choice':
      return regexp.of.map((one) => written(one, dialect)).join('|');
    case 'repeat': {
      const inside = regexp.of.node === 'set' ? written(regexp.of, dialect) : grouped(regexp.of, dialect);
      return inside + writtenCount(regexp.min, regexp.max);
    }
  }
}

function grouped(regexp: Regexp, dialect: Dialect): string {
  return `(?:${written(regexp, dialect)})`;
}

function writtenCount(min: number, max: number | undefined): string {
  if (min === 0 && max === undefined) return '*';
  if (min === 1 && max === undefined) return '+';
  if (min === 0 && max === 1) return '?';
  return max === min ? `{${min}}` : `{${min},${max ?? ''}}`;
}

function writtenSet(set: Charset, dialect: Dialect): string {
  if (sizeOf(set) === 1) return writtenCharacter(set[0]![0]);
  if (set.at(-1)![1] < lastCodePoint) return `[${writtenRanges(set)}]`;
  const others = complement(set);
  return others.length === 0 ? dialect.anyCharacter : `[^${writtenRanges(others)}]`;
}

function writtenRanges(set: Charset): string {
  return set
    .map(([from, to]) => {
      const first = writtenCharacter(from);
      return from === to ? first : `${first}${to === from + 1 ? '' : '-'}${writtenCharacter(to)}`;
    })
    .join('');
}

const controls: Record<number, string> = { 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r' };

function writtenCharacter(codePoint: number): string {
  const control = controls[codePoint];
  if (control) return control;
  const char = String.fromCodePoint(codePoint);
  return /[!-/:-@[-^`{-~]/.test(char) ? `\\${char}` : char;
}
