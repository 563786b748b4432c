import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGE_LIST, type Language } from '../wording/languages.ts';
import { type Catalog, compileCatalog } from './compile.ts';
import type { Messages } from './types.ts';

const FOLDER = join(import.meta.dirname, '../../../messages');
const compiled = new Map<Language, Messages>();

/**
 * All messages in a language, for the server and for tests. The file is read when the language is first used. A browser
 * loads only the messages it shows, compiled.
 */
export function messagesIn(language: Language): Messages {
  const known = compiled.get(language);
  if (known) return known;
  const catalog = JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as Catalog;
  const messages = compileCatalog(catalog, language, LANGUAGE_LIST[language].locale) as Messages;
  compiled.set(language, messages);
  return messages;
}
