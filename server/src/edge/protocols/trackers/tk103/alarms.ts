import type { AlarmWord } from '../alarm-words.ts';

/** The digit after BO01. */
const BY_DIGIT: Readonly<Record<string, AlarmWord>> = {
  1: 'crash',
  2: 'sos',
  3: 'vibration',
  4: 'general',
  5: 'overspeed',
  6: 'geofenceExit',
};

/** The number in BQ81. */
const BY_NUMBER: Readonly<Record<string, AlarmWord>> = {
  0: 'lowBattery',
  1: 'overspeed',
  2: 'idle',
  3: 'harshAcceleration',
  4: 'harshBraking',
  5: 'temperature',
};

/** Mictrack types: two for a position by GPS, then by cells. */
const BY_TYPE: readonly (readonly [readonly string[], AlarmWord])[] = [
  [['ZC11', 'DW31', 'DW51'], 'movement'],
  [['ZC12', 'DW32', 'DW52'], 'lowBattery'],
  [['ZC13', 'DW33', 'DW53'], 'powerCut'],
  [['ZC15', 'DW35', 'DW55', 'ZC29', 'DW42', 'DW62'], 'ignitionOn'],
  [['ZC16', 'DW36', 'DW56'], 'ignitionOff'],
  [['ZC17', 'DW37', 'DW57'], 'tamper'],
  [['ZC25', 'DW3E', 'DW5E'], 'sos'],
  [['ZC26', 'DW3F', 'DW5F'], 'tamper'],
  [['ZC27', 'DW40', 'DW60'], 'lowExternalPower'],
];

export function alarmsOf(type: string, data: string): readonly AlarmWord[] {
  const alarm =
    type === 'BO01'
      ? BY_DIGIT[data[0] ?? '']
      : type === 'BQ81'
        ? BY_NUMBER[/^,ALARM,(\d),/.exec(data)?.[1] ?? '']
        : BY_TYPE.find(([types]) => types.includes(type))?.[1];
  return alarm === undefined ? [] : [alarm];
}

export const ignitionOf = (alarms: readonly AlarmWord[]): boolean | undefined =>
  alarms.includes('ignitionOn') ? true : alarms.includes('ignitionOff') ? false : undefined;
