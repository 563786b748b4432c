import { bounds, isStorable, refuse } from '../bounds.ts';

type Part = { readonly plain: string } | 'run' | 'one';

/** A `like` pattern, taken apart: each engine has its own way to write one. */
export interface LikePattern {
  readonly parts: readonly Part[];
  /** Both sides are lowered before they are compared. */
  readonly folded: boolean;
}

/**
 * `%` is any run of characters, `_` one character, a backslash makes the next character plain. Undefined for a pattern
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

/** For SQLite's GLOB, which minds case where its LIKE does not. */
export function globText(pattern: LikePattern): string {
  return written(pattern, '*', '?', (text) => text.replace(/[*?[]/g, '[$&]'));
}

/** For PostgreSQL's LIKE with a backslash as its escape. */
export function likeText(pattern: LikePattern): string {
  return written(pattern, '%', '_', (text) => text.replace(/[\\%_]/g, '\\$&'));
}

function written(pattern: LikePattern, run: string, one: string, plain: (text: string) => string): string {
  return pattern.parts.map((part) => (part === 'run' ? run : part === 'one' ? one : plain(part.plain))).join('');
}
