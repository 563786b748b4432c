import { ALERT } from '../alarms.ts';

/** The one vocabulary of what trackers raise, whatever their protocol calls it. */
export const ALARM_WORDS = [
  'sos',
  'powerCut',
  'powerRestored',
  'lowBattery',
  'lowExternalPower',
  'vibration',
  'movement',
  'tow',
  'crash',
  'overspeed',
  'geofenceEnter',
  'geofenceExit',
  'geofence',
  'tamper',
  'door',
  'ignitionOn',
  'ignitionOff',
  'harshBraking',
  'harshAcceleration',
  'harshCornering',
  'jamming',
  'fall',
  'idle',
  'temperature',
  'antennaCut',
  'powerOn',
  'powerOff',
  'fault',
  'fatigue',
  'general',
] as const;

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
