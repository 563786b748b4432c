import {
  type Advertised,
  type AdvertisedReading,
  type AdvertisementFormat,
  manufacturerData,
} from './advertisement.ts';

const TELTONIKA = 0x089a;
const VERSION = 0x01;
const FLAG = {
  temperature: 1,
  humidity: 2,
  magnetPresent: 4,
  magnet: 8,
  movement: 16,
  angle: 32,
  lowBattery: 64,
  battery: 128,
} as const;

export const teltonikaEye: AdvertisementFormat = {
  name: 'teltonika-eye',
  decode(element) {
    const data = manufacturerData(element, TELTONIKA);
    return data?.[0] === VERSION ? eyeReadings(data.subarray(1)) : undefined;
  },
};

/** The sensor's flags and the values that they announce, in bit order. Undefined if the lengths do not match. */
export function eyeReadings(data: Buffer): Advertised | undefined {
  const flags = data[0];
  if (flags === undefined || data.length !== lengthBy(flags)) return undefined;
  const readings: AdvertisedReading[] = [];
  let at = 1;
  if (flags & FLAG.temperature) {
    readings.push({ type: 'temp', value: data.readInt16BE(at) / 100 });
    at += 2;
  }
  if (flags & FLAG.humidity) {
    readings.push({ type: 'humidity', value: data[at] });
    at += 1;
  }
  if (flags & FLAG.magnetPresent) readings.push({ type: 'magnet', value: (flags & FLAG.magnet) !== 0 });
  if (flags & FLAG.movement) {
    const movement = data.readUInt16BE(at);
    readings.push({ type: 'motion', value: movement >= 0x8000, meta: { count: movement & 0x7fff } });
    at += 2;
  }
  if (flags & FLAG.angle) {
    readings.push({ type: 'angle', value: { pitch: data.readInt8(at), roll: data.readInt16BE(at + 1) } });
    at += 3;
  }
  if (flags & FLAG.battery) readings.push({ type: 'battery_mv', value: data[at]! * 10 + 2000 });
  // Sensors that send no voltage set bit 6 too.
  readings.push({ type: 'low_battery', value: (flags & FLAG.lowBattery) !== 0 });
  return { readings };
}

const lengthBy = (flags: number) =>
  1 +
  (flags & FLAG.temperature ? 2 : 0) +
  (flags & FLAG.humidity ? 1 : 0) +
  (flags & FLAG.movement ? 2 : 0) +
  (flags & FLAG.angle ? 3 : 0) +
  (flags & FLAG.battery ? 1 : 0);
