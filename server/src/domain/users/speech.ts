import type { Language } from '@trackway/contract/wording/languages.ts';
import { isMetric, METRIC, type Units } from '@trackway/contract/wording/units.ts';

/** How a user is spoken to. */
export interface Speech {
  readonly language: Language;
  readonly units: Units;
}

/** The default for users without a choice, as in the API. */
export const PLAIN_SPEECH: Speech = { language: 'en', units: METRIC };

export const speechOf = ({ language, units }: { language: Language | null; units: string | null }): Speech => ({
  language: language ?? PLAIN_SPEECH.language,
  units: units === null ? METRIC : (JSON.parse(units) as Units),
});

/** Whether `message` of a notification is worded for the user. */
export const isPlain = ({ language, units }: Speech) => language === 'en' && isMetric(units);
