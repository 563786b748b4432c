import { isLanguage, LANGUAGE_LIST, type Language } from '@trackway/contract/wording/languages.ts';

/** The language of this page. Texts are loaded at the start, so another language takes effect after a reload. */

const KEY = 'trackway.language';

const languageOf = (tag: string) => tag.toLowerCase().split('-')[0];

/** The first of the browser's languages with texts. */
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

/** For names on maps: the selected language, or the browser's first language, even without texts in it. */
export const NAMES_LANGUAGE: string = stored() ?? languageOf(navigator.language) ?? LANGUAGE;

/** The locale of numbers and times: the browser's locale of this language, if it has one. */
export const LOCALE: string =
  navigator.languages?.find((tag) => languageOf(tag) === LANGUAGE) ?? LANGUAGE_LIST[LANGUAGE].locale;

/**
 * Stores the signed-in user's language for this browser; null is the browser's own. Returns whether the page must
 * reload to show it.
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
