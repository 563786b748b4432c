import { alarmIn } from '@trackway/contract/wording/sentence.ts';
import { inSentence } from '../texts/counting.ts';
import { t } from '../texts/t.ts';

/** An alarm inside a sentence: "harsh braking", but "SOS". */
export function alarmInWords(alarm: string): string {
  const label = alarmIn(t.events, alarm);
  return label === label.toUpperCase() ? label : inSentence(label);
}
