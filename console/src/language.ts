import { isLanguage, type Language, LOCALES } from '@trackway/contract/wording/languages.ts';

/** The language of this page. Texts are read as the page starts, so that another language takes effect by a new start. */

const KEY = 'trackway.language';

const languageOf = (tag: string) => tag.toLowerCase().split('-')[0];

/** The first of the browser's languages that there are texts for. */
function browserLanguage(): Language {
  return (navigator.languages ?? []).map(languageOf).find(isLanguage) ?? 'en';
}

function stored(): Language | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return isLanguage(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export const LANGUAGE: Language = stored() ?? browserLanguage();

/** For names on maps: what was chosen, or the browser's first language, even where there are no texts in it. */
export const NAMES_LANGUAGE: string = stored() ?? languageOf(navigator.language) ?? LANGUAGE;

/** How numbers and times are written: as where the viewer lives, if they speak the language there. */
export const LOCALE: string = navigator.languages?.find((tag) => languageOf(tag) === LANGUAGE) ?? LOCALES[LANGUAGE];

/**
 * Keeps the language of whoever is signed in for this browser; null is the browser's own. Answers whether the page has to
 * start anew to show it.
 */
export function keepLanguage(language: Language | null): boolean {
  try {
    if (language === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, language);
  } catch {
    return false;
  }
  return (stored() ?? browserLanguage()) !== LANGUAGE;
}
