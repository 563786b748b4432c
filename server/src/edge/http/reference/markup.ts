import { piecesOf } from '../pages/reference/highlight.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  http: 'HTTP',
};

/** Highlighted code. */
export const coloured = (code: string): string =>
  piecesOf(code)
    .map(([kind, text]) => (kind === '' ? escaped(text) : `<span class="${kind}">${escaped(text)}</span>`))
    .join('');

/** A block of code with its language, scrollable by keyboard. */
export function codeBlock(code: string, language: string): string {
  const name = NAMES[language] ?? 'Text';
  return `<div class="code"><div class="code-head"><span>${name}</span></div><pre tabindex="0" role="region" aria-label="${name}"><code>${coloured(code)}</code></pre></div>`;
}
