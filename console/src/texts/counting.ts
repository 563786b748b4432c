import { LANGUAGE } from '../language.ts';

/** Lists and names inside texts. */

/** "a, b and c", by the rules of the language; British in English, which has no comma before the last. */
const RULES = LANGUAGE === 'en' ? 'en-GB' : LANGUAGE;
const AND = new Intl.ListFormat(RULES, { type: 'conjunction' });
const OR = new Intl.ListFormat(RULES, { type: 'disjunction' });

export const allOf = (items: readonly string[]) => AND.format(items);
export const anyOf = (items: readonly string[]) => OR.format(items);

/** A label inside a sentence: "harsh braking". German nouns keep their capitals. */
export const inSentence = (label: string) => (LANGUAGE === 'de' ? label : label.toLowerCase());
