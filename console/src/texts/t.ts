import type { Language } from '@trackway/contract/wording/languages.ts';
import type { Texts } from './translation.ts';

/** Every text of the console by its area: `t.map.search`. They are there before any page is loaded. */
export const t = {} as Texts;

/** Each language is a file of its own, of which a browser loads the one it shows. */
const LOADERS: Readonly<Record<Language, () => Promise<{ readonly texts: Texts }>>> = {
  en: () => import('./en/texts.ts'),
  de: () => import('./de/texts.ts'),
  fr: () => import('./fr/texts.ts'),
  es: () => import('./es/texts.ts'),
};

export async function loadTexts(language: Language): Promise<void> {
  takeTexts((await LOADERS[language]()).texts);
}

export const takeTexts = (texts: Texts): void => {
  Object.assign(t, texts);
};
