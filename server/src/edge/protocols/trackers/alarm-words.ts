import { ALARMS } from '@trackway/contract/alarms.ts';
import { ALERT } from '../alarms.ts';

/** The one vocabulary of what trackers raise; the ignition's words become readings of type `ignition`. */
export const ALARM_WORDS = [...ALARMS, 'ignitionOn', 'ignitionOff'] as const;

export type AlarmWord = (typeof ALARM_WORDS)[number];

/** The bit of `alertType` for an alarm. The ignition's alarms have none: they are told by the reading `ignition`. */
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
