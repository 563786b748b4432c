import { numberedIn } from '@trackway/contract/wording/words.ts';
import { LANGUAGE, LOCALE } from '../language.ts';

/** Numbers and lists inside texts. */

export const number = (count: number) => count.toLocaleString(LOCALE);

/** "1 device", "2 devices": by the plural rules of a language. */
export const countedIn = numberedIn;

/** "a, b and c", by the rules of the language; British in English, which has no comma before the last. */
const RULES = LANGUAGE === 'en' ? 'en-GB' : LANGUAGE;
const AND = new Intl.ListFormat(RULES, { type: 'conjunction' });
const OR = new Intl.ListFormat(RULES, { type: 'disjunction' });

export const allOf = (items: readonly string[]) => AND.format(items);
export const anyOf = (items: readonly string[]) => OR.format(items);
