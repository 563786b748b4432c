import { ALARMS } from '@trackway/contract/alarms.ts';
import { ALERT } from '../alarms.ts';

/** The common alarm names of all protocols; ignition events become readings of type `ignition`. */
export const ALARM_WORDS = [...ALARMS, 'ignitionOn', 'ignitionOff'] as const;

export type AlarmWord = (typeof ALARM_WORDS)[number];

/** The bit of `alertType` for an alarm. Ignition events have none: the reading `ignition` represents them. */
export function alertOf(alarm: AlarmWord): number {
  switch (alarm) {
    case 'jamming':
      return ALERT.jamming;
    case 'sos':
      return ALERT.button;
    case 'crash':
    case 'fall':
      return ALERT.drop;
    case 'ignitionOn':
    case 'ignitionOff':
      return 0;
    default:
      return ALERT.generic;
  }
}
