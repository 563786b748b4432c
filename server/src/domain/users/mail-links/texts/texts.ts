import type { Language } from '@trackway/contract/wording/languages.ts';
import type { AccountTexts } from './account-texts.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

export const ACCOUNT_TEXTS: Readonly<Record<Language, AccountTexts>> = { en, de, fr, es };
