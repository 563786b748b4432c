import { alarmIn } from '@trackway/contract/wording/sentence.ts';
import { LANGUAGE } from '../language.ts';
import { t } from '../texts/t.ts';

/** An alarm inside a sentence: "harsh braking"; "SOS" stays as it is, and so do German nouns. */
export function alarmInWords(alarm: string): string {
  const label = alarmIn(t.wording, alarm);
  return LANGUAGE === 'de' || label === label.toUpperCase() ? label : label.toLowerCase();
}
