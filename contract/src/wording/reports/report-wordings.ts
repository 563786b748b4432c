import type { Language } from '../languages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import type { ReportWords } from './report-words.ts';

/** All of them, for a server that speaks to many. A browser loads the one it shows. */
export const REPORT_WORDS: Readonly<Record<Language, ReportWords>> = { en, de, fr, es };
