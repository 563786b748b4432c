const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|;|[^;'"$/\-eE]+|[\s\S]/g;

/**
 * The statements of a text, each to be sent alone. Citus hands the text of a change of tables on to its workers as it
 * came, and these take one statement at a time.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  let isSaying = false;
  const end = () => {
    if (isSaying) statements.push(current.trim());
    current = '';
    isSaying = false;
  };
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === ';') {
      end();
      continue;
    }
    current += piece;
    isSaying ||= !piece.startsWith('--') && !piece.startsWith('/*') && piece.trim() !== '';
  }
  end();
  return statements;
}
