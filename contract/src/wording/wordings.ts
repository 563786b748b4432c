import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { Language } from './languages.ts';
import type { Wording } from './words.ts';

/** All of them, for a server that speaks to many. A browser loads the one it shows. */
export const WORDINGS: Readonly<Record<Language, Wording>> = { en, de, fr, es };
