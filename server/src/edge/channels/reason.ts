const MAX_LENGTH = 200;

/**
 * What another side said, as a line that people can read: no markup, no control characters, not long. It is shown to the
 * user who owns the destination, so it comes from there alone.
 */
export function oneLine(text: string): string {
  const plain = text
    .replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, ' ')
    .replaceAll(/<[^>]{0,500}>/g, ' ')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH - 1).toWellFormed()}…` : plain;
}
