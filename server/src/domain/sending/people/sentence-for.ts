import { LOCALES } from '@trackway/contract/wording/languages.ts';
import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { isMetric } from '@trackway/contract/wording/units.ts';
import { WORDINGS } from '@trackway/contract/wording/wordings.ts';
import type { Speech } from '../../users/speech.ts';

/** Of the params of a notification. */
export interface NotificationTexts {
  readonly type: string;
  readonly message: string;
  readonly zones: readonly string[];
  readonly name: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** What happened, to one reader. `message` says it in English and metric units, for whoever reads those. */
export function sentenceFor({ language, units }: Speech, device: string, params: NotificationTexts): string {
  if (language === 'en' && isMetric(units)) return params.message;
  const reader = { wording: WORDINGS[language], locale: LOCALES[language], units };
  return happenedTo({ device, params: { ...params } }, reader);
}
