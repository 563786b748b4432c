interface LanguageEntry {
  /** In the language itself. */
  readonly name: string;
  /** Formats of numbers and times if no country is known. */
  readonly locale: string;
  /** No native speaker has read its texts yet. */
  readonly isUnreviewed?: true;
}

/** The languages of texts for people. The API itself responds in English. */
const ENTRIES = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
  fr: { name: 'Français', locale: 'fr-FR' },
  es: { name: 'Español', locale: 'es-ES' },
  it: { name: 'Italiano', locale: 'it-IT', isUnreviewed: true },
} as const satisfies Readonly<Record<string, LanguageEntry>>;

export type Language = keyof typeof ENTRIES;
export const LANGUAGES = Object.keys(ENTRIES) as readonly Language[];
export const LANGUAGE_LIST: Readonly<Record<Language, LanguageEntry>> = ENTRIES;

export const isLanguage = (value: unknown): value is Language => (LANGUAGES as readonly unknown[]).includes(value);
