import type { AlarmWord } from '../alarm-words.ts';

/** Bits 5–3 of the status byte. */
const OF_STATUS: readonly (AlarmWord | undefined)[] = [
  undefined,
  'vibration',
  'powerCut',
  'lowBattery',
  'sos',
  undefined,
  'geofence',
  'tamper',
];

export const alarmOfStatus = (status: number): AlarmWord | undefined => OF_STATUS[(status >> 3) & 7];

/** The alarm byte; numbers above 255 have a high nibble from the language byte. */
const ALARMS: ReadonlyMap<number, AlarmWord> = new Map([
  [0x01, 'sos'],
  [0x02, 'powerCut'],
  [0x03, 'vibration'],
  [0x04, 'geofenceEnter'],
  [0x05, 'geofenceExit'],
  [0x06, 'overspeed'],
  [0x09, 'vibration'],
  [0x0c, 'tamper'],
  [0x0e, 'lowBattery'],
  [0x0f, 'lowBattery'],
  [0x11, 'powerOff'],
  [0x13, 'tamper'],
  [0x14, 'door'],
  [0x18, 'tamper'],
  [0x19, 'lowBattery'],
  [0x1a, 'harshBraking'],
  [0x1b, 'harshCornering'],
  [0x23, 'fall'],
  [0x25, 'tamper'],
  [0x26, 'harshAcceleration'],
  [0x27, 'harshBraking'],
  [0x28, 'harshBraking'],
  [0x29, 'harshAcceleration'],
  [0x2a, 'harshCornering'],
  [0x2b, 'harshCornering'],
  [0x2c, 'crash'],
  [0x2e, 'harshCornering'],
  [0x30, 'jamming'],
  [0x32, 'tamper'],
  [0x53, 'general'],
  [0x5b, 'temperature'],
  [0x5c, 'temperature'],
  [0xc9, 'idle'],
  [0xf0, 'harshAcceleration'],
  [0xf1, 'harshBraking'],
  [0xf2, 'crash'],
  [0xfe, 'ignitionOn'],
  [0xff, 'ignitionOff'],
  [0x107, 'jamming'],
  [0x10b, 'jamming'],
]);

/** Manufacturers with different meanings, by prefix of the model name. */
const OF_MODELS: readonly (readonly [model: RegExp, alarms: ReadonlyMap<number, AlarmWord>])[] = [
  [
    /^LW/i,
    new Map([
      [0x18, 'crash'],
      [0x19, 'harshAcceleration'],
    ]),
  ],
  [
    /^SEEWORLD/i,
    new Map([
      [0x28, 'harshCornering'],
      [0x29, 'crash'],
    ]),
  ],
  [
    /^(?:VL103|LL303|VL512|G18)/i,
    new Map([
      [0x09, 'tow'],
      [0x28, 'powerOff'],
      [0x30, 'harshBraking'],
    ]),
  ],
  [
    /^TRX16/i,
    new Map([
      [0x09, 'geofence'],
      [0x0e, 'lowExternalPower'],
    ]),
  ],
];

export function alarmOf(code: number, model: string | undefined): AlarmWord | undefined {
  const own = model === undefined ? undefined : OF_MODELS.find(([name]) => name.test(model))?.[1].get(code);
  return own ?? ALARMS.get(code);
}

/** Camera events. A short frame has no place, and its event 1 is any alarm. */
const CAMERA: ReadonlyMap<number, AlarmWord> = new Map([
  [0x01, 'sos'],
  [0x0e, 'lowExternalPower'],
  [0x76, 'temperature'],
  [0x80, 'vibration'],
  [0x87, 'overspeed'],
  [0x88, 'powerCut'],
  [0x90, 'harshAcceleration'],
  [0x91, 'harshBraking'],
  [0x92, 'harshCornering'],
  [0x93, 'crash'],
]);

export const alarmOfCamera = (event: number, hasPlace: boolean): AlarmWord | undefined =>
  event === 1 && !hasPlace ? 'general' : CAMERA.get(event);

/** Events of the modular type 70. */
export const ALARMS_OF_MODULES: ReadonlyMap<number, AlarmWord> = new Map([
  [0x10, 'door'],
  [0x12, 'tamper'],
  [0x14, 'geofenceEnter'],
  [0x15, 'geofenceExit'],
  [0x16, 'temperature'],
  [0x1a, 'lowBattery'],
  [0x1b, 'overspeed'],
  [0x1c, 'powerOn'],
  [0x1d, 'powerOff'],
  [0x20, 'vibration'],
  [0x21, 'powerCut'],
  [0x23, 'tamper'],
]);
