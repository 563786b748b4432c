import { readFileSync } from 'node:fs';
import { type Catalog, compile } from '@trackway/contract/messages/compile.ts';
import type { Plugin } from 'vite';

/** Keys, or areas of keys, that a page needs before the sign-in, and on the public page of a link. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  start: [
    'shell',
    'ui',
    'errors',
    'signing',
    'byMail',
    'dashboard.title',
    'maintenance.title',
    'drivers.title',
    'groups.title',
    'rules.unreadOf',
    'quantities',
  ],
  link: ['publicLink', 'ground', 'quantities', 'ui', 'errors'],
};
/** Only the server uses these. */
const OF_THE_SERVER = ['accountMail', 'letters', 'reportMail'];

/** Compiles the messages of a language, part by part: `messages/de.json?start`. */
export const messages = (): Plugin => ({
  name: 'trackway-messages',
  enforce: 'pre',
  load(id) {
    const [, file, part] = /^(.*\/messages\/\w+\.json)\?(start|rest|link)$/.exec(id) ?? [];
    return file && part ? { code: partOf(file, part), moduleSideEffects: false, map: null } : null;
  },
});

function partOf(file: string, part: string): string {
  const catalog = readCatalog(file);
  const shown = Object.fromEntries(Object.entries(catalog).filter(([area]) => !OF_THE_SERVER.includes(area)));
  const keys = PARTS[part];
  return `export default (m) => (${compiled(keys ? selected(shown, keys) : shown)});\n`;
}

const readCatalog = (file: string): Catalog => JSON.parse(readFileSync(file, 'utf8'));

function selected(catalog: Catalog, keys: readonly string[]): Catalog {
  const found: Record<string, Catalog[string]> = {};
  for (const key of keys) {
    const [area, name] = key.split('.') as [string, string?];
    const texts = catalog[area] as Catalog;
    found[area] = name === undefined ? texts : { ...(found[area] as Catalog), [name]: texts[name]! };
  }
  return found;
}

/** JavaScript that makes the texts, in which `m` makes a function of a compiled message. */
function compiled(texts: Catalog[string]): string {
  if (typeof texts === 'string') {
    const message = compile(texts);
    return typeof message === 'string' ? JSON.stringify(message) : `m(${JSON.stringify(message)})`;
  }
  if (Array.isArray(texts)) return JSON.stringify(texts);
  return `{${Object.entries(texts).map(([key, inner]) => `${JSON.stringify(key)}:${compiled(inner)}`)}}`;
}
