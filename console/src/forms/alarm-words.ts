import { t } from '../texts/t.ts';

/** An alarm inside a sentence: "harsh braking"; "SOS" stays as it is. */
export function alarmInWords(alarm: string): string {
  const label = t.alarms[alarm as keyof typeof t.alarms] ?? alarm;
  return label === label.toUpperCase() ? label : label.toLowerCase();
}
