import { bounds, isStorable, refuse } from './value.ts';

type Part = { readonly plain: string } | 'run' | 'one';

/** A parsed `like` pattern; each engine has its own syntax for it. */
export interface LikePattern {
  readonly parts: readonly Part[];
  /** Both sides are lowered before they are compared. */
  readonly folded: boolean;
}

/**
 * `%` matches any characters, `_` one character, and a backslash escapes the next character. Undefined for a pattern
 * that no stored text can match.
 */
export function parseLike(text: unknown, folded: boolean, at: string): LikePattern | undefined {
  if (typeof text !== 'string') refuse(at, 'must be a string');
  if (text.length > bounds.likeLength) refuse(at, `a pattern may have at most ${bounds.likeLength} characters`);
  if (!isStorable(text)) return undefined;
  const parts: Part[] = [];
  let plain = '';
  const endPlain = () => {
    if (plain !== '') parts.push({ plain: folded ? plain.toLowerCase() : plain });
    plain = '';
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '%') {
      endPlain();
      if (parts.at(-1) !== 'run') parts.push('run');
    } else if (char === '_') {
      endPlain();
      parts.push('one');
    } else if (char === '\\' && i + 1 < text.length) plain += text[++i];
    else plain += char;
  }
  endPlain();
  return { parts, folded };
}

/** Writes the pattern for SQLite's GLOB, which is case-sensitive while its LIKE is not. */
export function globText(pattern: LikePattern): string {
  return written(pattern, '*', '?', (text) => text.replace(/[*?[]/g, '[$&]'));
}

/** Writes the pattern for PostgreSQL's LIKE, with a backslash as its escape. */
export function likeText(pattern: LikePattern): string {
  return written(pattern, '%', '_', (text) => text.replace(/[\\%_]/g, '\\$&'));
}

function written(pattern: LikePattern, run: string, one: string, plain: (text: string) => string): string {
  return pattern.parts.map((part) => (part === 'run' ? run : part === 'one' ? one : plain(part.plain))).join('');
}
