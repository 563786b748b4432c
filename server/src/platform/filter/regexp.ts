import {
  allButNewline,
  type Charset,
  charset,
  complement,
  digits,
  single,
  sizeOf,
  spaces,
  union,
  withBothCases,
  wordCharacters,
} from './charset.ts';
import { bounds, isStorable, refuse } from './value.ts';

/**
 * A regular expression in the subset of the language that RE2 and PostgreSQL interpret identically. Groups capture
 * nothing and lazy quantifiers are greedy, because only whether there is a match matters. To ignore case, both cases
 * are written out, because the engines fold case differently.
 */
export type Regexp =
  | { readonly node: 'set'; readonly set: Charset }
  | { readonly node: 'start' | 'end' | 'boundary' | 'noBoundary' }
  | { readonly node: 'sequence'; readonly of: readonly Regexp[] }
  | { readonly node: 'choice'; readonly of: readonly Regexp[] }
  | { readonly node: 'repeat'; readonly of: Regexp; readonly min: number; readonly max: number | undefined };

const maxRepeat = 255;
/** Size with every repetition written out, which determines the cost to compile. Anchors cost PostgreSQL most. */
const maxSize = 1_000;
const anchorSize = 10;
/** A class with more characters than this is not written out in both cases. */
const maxFolded = 1_000;

/** Returns undefined for an expression that no stored text can match. */
export function parseRegexp(text: unknown, at: string): Regexp | undefined {
  if (typeof text !== 'string') refuse(at, 'must be a string');
  if (text.length > bounds.regexpLength) refuse(at, `may have at most ${bounds.regexpLength} characters`);
  if (!isStorable(text)) return undefined;
  const delimited = /^\/(.+)\/([a-z]*)$/s.exec(text);
  if (!delimited) return parse(text, false, at);
  const flags = delimited[2]!;
  if (!/^[gi]*$/.test(flags)) refuse(at, 'the only flag allowed is i');
  return parse(delimited[1]!, flags.includes('i'), at);
}

function parse(text: string, ignoreCase: boolean, at: string): Regexp {
  const chars = [...text];
  let i = 0;
  const next = (expected: string) => chars.slice(i, i + expected.length).join('') === expected;
  const take = (expected: string) => {
    if (!next(expected)) return false;
    i += expected.length;
    return true;
  };

  const wanted = choice(0);
  if (i < chars.length) refuse(at, 'has a ) without its (');
  if (size(wanted) > maxSize) refuse(at, `repeats too much: written out it may have at most ${maxSize} parts`);
  return wanted;

  function choice(depth: number): Regexp {
    if (depth > 20) refuse(at, 'nests groups too deeply');
    const branches = [sequence(depth)];
    while (take('|')) branches.push(sequence(depth));
    return branches.length === 1 ? branches[0]! : { node: 'choice', of: branches };
  }

  function sequence(depth: number): Regexp {
    const of: Regexp[] = [];
    while (i < chars.length && !next('|') && !next(')')) of.push(quantified(depth));
    return { node: 'sequence', of };
  }

  function quantified(depth: number): Regexp {
    const of = atom(depth);
    const count = quantifier();
    if (!count) return of;
    if (of.node !== 'set' && of.node !== 'sequence' && of.node !== 'choice')
      refuse(at, 'repeats something that has no width');
    take('?');
    if (next('+') || next('*') || next('?') || quantifier()) refuse(at, 'has a quantifier after a quantifier');
    return { node: 'repeat', of, ...count };
  }

  function quantifier(): { min: number; max: number | undefined } | undefined {
    if (take('*')) return { min: 0, max: undefined };
    if (take('+')) return { min: 1, max: undefined };
    if (take('?')) return { min: 0, max: 1 };
    const braces = /^\{(\d+)(?:(,)(\d*))?\}/.exec(chars.slice(i).join(''));
    if (!braces) return undefined;
    i += braces[0].length;
    const min = Number(braces[1]);
    const max = braces[2] === undefined ? min : braces[3] === '' ? undefined : Number(braces[3]);
    if (min > maxRepeat || (max ?? 0) > maxRepeat) refuse(at, `may repeat at most ${maxRepeat} times`);
    if (max !== undefined && max < min) refuse(at, 'has a minimum above its maximum');
    return { min, max };
  }

  function atom(depth: number): Regexp {
    const char = chars[i++]!;
    switch (char) {
      case '.':
        return { node: 'set', set: allButNewline };
      case '^':
        return { node: 'start' };
      case '$':
        return { node: 'end' };
      case '(':
        return group(depth);
      case '[':
        return characterClass();
      case '\\':
        if (take('b')) return { node: 'boundary' };
        if (take('B')) return { node: 'noBoundary' };
        return literal(escaped());
      case '*':
      case '+':
      case '?':
        return refuse(at, `has nothing before its ${char}`);
      default:
        return literal(single(char.codePointAt(0)!));
    }
  }

  function literal(set: Charset): Regexp {
    return { node: 'set', set: ignoreCase && sizeOf(set) === 1 ? withBothCases(set) : set };
  }

  function group(depth: number): Regexp {
    if (next('?=') || next('?!') || next('?<=') || next('?<!')) refuse(at, 'look-around is not supported');
    if (!take('?:') && next('?')) refuse(at, 'of the groups that begin with (? only (?: is supported');
    const inside = choice(depth + 1);
    if (!take(')')) refuse(at, 'has a ( without its )');
    return inside.node === 'choice' ? inside : { node: 'sequence', of: [inside] };
  }

  /** Reads the characters of an escape sequence. */
  function escaped(): Charset {
    const char = chars[i++];
    if (char === undefined) refuse(at, 'ends in a backslash');
    const known = classEscapes[char] ?? controlEscapes[char];
    if (known) return known;
    if (char === 'x' || char === 'u') {
      const length = char === 'x' ? 2 : 4;
      const code = chars.slice(i, i + length).join('');
      if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(code))
        refuse(at, `needs ${length} hexadecimal digits after \\${char}`);
      i += length;
      const codePoint = Number.parseInt(code, 16);
      if (codePoint === 0 || (codePoint >= 0xd800 && codePoint <= 0xdfff))
        refuse(at, `\\${char}${code} is not a valid character`);
      return single(codePoint);
    }
    if (/[1-9k]/.test(char)) refuse(at, 'back-references are not supported');
    if (/[0-9A-Za-z]/.test(char)) refuse(at, `\\${char} is not supported`);
    return single(char.codePointAt(0)!);
  }

  function characterClass(): Regexp {
    const negated = take('^');
    let set: Charset = [];
    if (next(']')) refuse(at, 'has an empty class');
    while (!take(']')) {
      if (i >= chars.length) refuse(at, 'has a [ without its ]');
      if (next('[:') || next('[.') || next('[=')) refuse(at, 'named classes are not supported');
      const from = classMember();
      if (!next('-') || chars[i + 1] === ']' || i + 1 >= chars.length) {
        set = union(set, from);
        continue;
      }
      i++;
      const to = classMember();
      if (sizeOf(from) !== 1 || sizeOf(to) !== 1) refuse(at, 'has a range whose ends are not characters');
      const range: readonly [number, number] = [from[0]![0], to[0]![0]];
      if (range[0] > range[1]) refuse(at, 'has a range in reverse order');
      set = union(set, charset([range]));
    }
    if (ignoreCase) set = bothCases(set);
    if (negated) set = complement(set);
    if (set.length === 0) refuse(at, 'has a class that matches nothing');
    return { node: 'set', set };
  }

  function classMember(): Charset {
    const char = chars[i++]!;
    if (char !== '\\') return single(char.codePointAt(0)!);
    if (take('b') || take('B')) refuse(at, 'has a \\b inside a class');
    return escaped();
  }

  /** A wide class like `\D` already contains both cases of nearly everything; only narrow classes are written out. */
  function bothCases(set: Charset): Charset {
    const narrow = set.at(-1)![1] < 0x10ffff ? set : complement(set);
    if (sizeOf(narrow) > maxFolded) refuse(at, `has a class of more than ${maxFolded} characters and the flag i`);
    return narrow === set ? withBothCases(set) : set;
  }
}

const classEscapes: Record<string, Charset> = Object.assign(Object.create(null), {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: spaces,
  S: complement(spaces),
});

const controlEscapes: Record<string, Charset> = Object.assign(Object.create(null), {
  t: single(9),
  n: single(10),
  v: single(11),
  f: single(12),
  r: single(13),
});

function size(regexp: Regexp): number {
  switch (regexp.node) {
    case 'sequence':
    case 'choice':
      return regexp.of.reduce((sum, one) => sum + size(one), 1);
    case 'repeat':
      return size(regexp.of) * Math.max(regexp.max ?? regexp.min + 1, 1);
    case 'set':
      return 1;
    default:
      return anchorSize;
  }
}
