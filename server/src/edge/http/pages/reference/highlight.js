// Tokens of code, for highlighting.

const PARTS =
  /(?<comment>(?<=^|\s)(?:#|\/\/).*$)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|(?<number>(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]))|(?<word>\b(?:import|from|const|await|new|for|of|in|if|with|as|print|curl|true|false|null|None|True|False)\b)/gm;

/**
 * Splits code into tokens: a CSS class, which is empty for plain text, and the text.
 * @param {string} code
 * @returns {[kind: '' | 'key' | 'comment' | 'text' | 'number' | 'word', text: string][]}
 */
export function piecesOf(code) {
  /** @type {ReturnType<typeof piecesOf>} */
  const pieces = [];
  let from = 0;
  for (const { 0: text, groups, index } of code.matchAll(PARTS)) {
    if (index > from) pieces.push(['', code.slice(from, index)]);
    from = index + text.length;
    const kind = /** @type {'comment' | 'text' | 'number' | 'word'} */ (
      Object.keys(groups ?? {}).find((name) => groups?.[name] !== undefined)
    );
    pieces.push([kind === 'text' && /^\s*:/.test(code.slice(from, from + 4)) ? 'key' : kind, text]);
  }
  if (from < code.length) pieces.push(['', code.slice(from)]);
  return pieces;
}
