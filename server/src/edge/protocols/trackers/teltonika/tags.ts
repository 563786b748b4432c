import { type AdvertisedReading, addressOf, beaconId, eddystoneId } from '../../advertisements/advertisement.ts';
import { readAdvertisement } from '../../advertisements/advertisements.ts';
import { eyeReadings } from '../../advertisements/teltonika-eye.ts';
import { Cursor } from '../frame/cursor.ts';
import type { HeardReading } from '../tracker.ts';

export const TAGS: ReadonlySet<number> = new Set([548, 10828, 10829, 10831, 11317]);

interface Tag {
  rssi?: number;
  /** Its address, or the identity it advertises. */
  address?: string;
  identity?: string;
  name?: string;
  readonly readings: AdvertisedReading[];
}

/** The tags that a device heard, each with what it said. */
export function tagsIn(bytes: Buffer): HeardReading[] {
  const cursor = new Cursor(bytes, 1);
  const heard: HeardReading[] = [];
  while (cursor.left > 0) {
    const tag = cursor.take(cursor.u8());
    if (cursor.isShort) break;
    heard.push(...readingsOf(tagIn(tag)));
  }
  return heard;
}

function tagIn(bytes: Buffer): Tag {
  const tag: Tag = { readings: [] };
  const cursor = new Cursor(bytes);
  while (cursor.left > 0) {
    const id = cursor.u8();
    const value = cursor.take(cursor.u8());
    if (cursor.isShort) break;
    if (value.length > 0) take(tag, id, value);
  }
  return tag;
}

function take(tag: Tag, id: number, value: Buffer): void {
  const say = (type: string, said: unknown) => tag.readings.push({ type, value: said });
  const signed = () => value.readIntBE(0, Math.min(value.length, 4));
  const unsigned = () => value.readUIntBE(0, Math.min(value.length, 4));
  if (id === 0) tag.rssi = value.readInt8(0);
  else if (id === 1) tag.identity = identityOf(value);
  else if (id === 2) takeAdvertisement(tag, value);
  else if (id === 5) tag.name = value.toString('utf8');
  else if (id === 6) say('temp', signed() / 100);
  else if (id === 7) say('humidity', unsigned());
  else if (id === 8) say('magnet', unsigned() > 0);
  else if (id === 9) say('motion', unsigned() > 0);
  else if (id === 10) say('movement_count', unsigned());
  else if (id === 11) say('pitch', signed());
  else if (id === 12) say('roll', signed());
  else if (id === 13) say('low_battery', unsigned() > 0);
  else if (id === 14) say('battery_mv', unsigned());
  else if (id === 15 && value.length === 6) tag.address = addressOf(value);
}

/** Teltonika's own sensors are passed on without the head of the advertisement, others whole. */
function takeAdvertisement(tag: Tag, value: Buffer): void {
  const read = eyeReadings(value) ?? readAdvertisement(value);
  tag.readings.push(...(read?.readings ?? [{ type: 'ble_seen', value: value.toString('hex') }]));
  if (read?.sensorDeviceId !== undefined) tag.identity ??= read.sensorDeviceId;
}

function identityOf(value: Buffer): string {
  if (value.length === 6) return addressOf(value);
  if (value.length === 16) return eddystoneId(value);
  return value.length === 20 ? beaconId(value) : value.toString('hex');
}

function readingsOf({ rssi, address, identity, name, readings }: Tag): HeardReading[] {
  const sensorDeviceId = address ?? identity;
  if (sensorDeviceId === undefined) return [];
  const said = readings.length > 0 ? readings : [{ type: 'ble_seen', value: name ?? sensorDeviceId }];
  const meta = name === undefined ? {} : { meta: { name } };
  return said.map((reading) => ({ ...reading, sensorDeviceId, ...(rssi === undefined ? {} : { rssi }), ...meta }));
}
