import { beaconId, eddystoneId } from '../../advertisements/advertisement.ts';
import { Cursor } from '../frame/cursor.ts';
import type { HeardReading } from '../tracker.ts';

export const BEACONS = 385;

const FLAG = { rssi: 0x01, battery: 0x02, temperature: 0x04, ibeacon: 0x30 } as const;

/** The beacons that a device saw. A first byte tells which part of the list this is. */
export function beaconsIn(bytes: Buffer): HeardReading[] {
  const cursor = new Cursor(bytes, 1);
  const heard: HeardReading[] = [];
  while (cursor.left > 0) {
    const flags = cursor.u8();
    const isIbeacon = (flags & FLAG.ibeacon) !== 0;
    const name = cursor.take(isIbeacon ? 20 : 16);
    const rssi = flags & FLAG.rssi ? { rssi: cursor.i8() } : {};
    const batteryMv = flags & FLAG.battery ? cursor.u16() * 10 : undefined;
    const temperature = flags & FLAG.temperature ? cursor.u16() : undefined;
    if (cursor.isShort) break;
    const sensorDeviceId = isIbeacon ? beaconId(name) : eddystoneId(name);
    // The unit of the temperature is not published: it is passed on as it came.
    const meta = temperature === undefined ? {} : { meta: { temperatureRaw: temperature } };
    if (batteryMv !== undefined) heard.push({ type: 'battery_mv', value: batteryMv, sensorDeviceId, ...rssi, ...meta });
    else heard.push({ type: 'ble_seen', value: sensorDeviceId, sensorDeviceId, ...rssi, ...meta });
  }
  return heard;
}
