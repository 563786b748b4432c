import type { Language } from '@trackway/contract/wording/languages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { LetterTexts } from './letter-texts.ts';

export const LETTER_TEXTS: Readonly<Record<Language, LetterTexts>> = { en, de, fr, es };
