import type { Language } from '@trackway/contract/wording/languages.ts';
import { METRIC, type Units } from '@trackway/contract/wording/units.ts';

/** How a user is spoken to. */
export interface Speech {
  readonly language: Language;
  readonly units: Units;
}

/** To whoever has not chosen: as the API speaks. */
export const PLAIN_SPEECH: Speech = { language: 'en', units: METRIC };

export const speechOf = ({ language, units }: { language: Language | null; units: string | null }): Speech => ({
  language: language ?? PLAIN_SPEECH.language,
  units: units === null ? METRIC : (JSON.parse(units) as Units),
});
