import type { AlarmWord } from '../alarm-words.ts';
import { decimalOf, percentOf } from '../text/numbers.ts';

/** What the keyword of a report says beside the position. */
export interface Meaning {
  readonly alarms: readonly AlarmWord[];
  readonly values?: Readonly<Record<string, unknown>>;
  /** The letter of the command that this answers. */
  readonly answered?: string;
}

const ALARMS: Readonly<Record<string, readonly AlarmWord[]>> = {
  'help me': ['sos'],
  'low battery': ['lowBattery'],
  move: ['movement'],
  speed: ['overspeed'],
  stockade: ['geofence'],
  'ac alarm': ['powerCut'],
  'door alarm': ['door'],
  'sensor alarm': ['vibration'],
  'acc alarm': ['general'],
  'accident alarm': ['crash'],
  'bonnet alarm': ['general'],
  'footbrake alarm': ['general'],
  oil1: ['general'],
  oil2: ['general'],
  dtc: ['fault'],
  'acc on': ['ignitionOn'],
  'acc off': ['ignitionOff'],
};

export function meaningOf(keyword: string): Meaning {
  const word = keyword.trim().replace(/!+$/, '').toLowerCase();
  if (/^[a-z]t$/.test(word)) return { alarms: [], answered: word[0]!.toUpperCase() };
  if (word.startsWith('t:')) return { alarms: ['temperature'], values: { temp: decimalOf(word.slice(2)) } };
  if (word.startsWith('oil ')) return { alarms: [], values: { fuel_pct: percentOf(word.slice(4)) } };
  const alarms = ALARMS[word] ?? [];
  const ignition = word === 'acc on' ? true : word === 'acc off' ? false : undefined;
  return { alarms, ...(ignition === undefined ? {} : { values: { ignition } }) };
}
