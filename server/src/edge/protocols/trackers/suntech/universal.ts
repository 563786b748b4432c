import { addressOf } from '../../advertisements/advertisement.ts';
import type { AlarmWord } from '../alarm-words.ts';
import { fixOf } from '../frame/cut.ts';
import type { BeaconReading, TrackerReading, TrackerRecord } from '../tracker.ts';
import { ALERTS, EMERGENCIES } from './alerts.ts';
import { hexOf, inputReadings, numberOf, outputReadings, reading, timeOf, withNumber } from './fields.ts';
import { serialDataOf } from './serial-data.ts';

/** The bits of the mask of present fields, in order. */
const FIELDS = [
  'id',
  'model',
  'firmware',
  'live',
  'date',
  'time',
  'cid',
  'mcc',
  'mnc',
  'lac',
  'rssi',
  'lat',
  'lng',
  'speed',
  'course',
  'sats',
  'fix',
  'inputs',
  'outputs',
  'mode',
  'reason',
  'serial',
  'reserved',
  'assigned',
] as const;
type Field = (typeof FIELDS)[number];

const bit = (field: Field) => 1 << FIELDS.indexOf(field);
/** A tag report has no mask. */
const BLE_MASK = ['model', 'firmware', 'date', 'time', 'lat', 'lng'].reduce(
  (mask, field) => mask | bit(field as Field),
  0,
);

/** Index of the first field that serial data replaces. */
const AFTER_PORTS = FIELDS.indexOf('outputs') + 1;

/** `STT;id;mask;…` of ST4000 and later, with the fields of the mask. */
export function universalRecord(type: string, text: string): TrackerRecord | undefined {
  const fields = text.split(';');
  const mask = type === 'BLE' ? BLE_MASK : hexOf(fields[2]);
  if (mask === undefined) return undefined;
  let next = type === 'BLE' ? 2 : 3;
  const said = new Map<Field, string>();
  const last = type === 'UEX' || type === 'BLE' ? AFTER_PORTS : FIELDS.length;
  for (const [index, field] of FIELDS.entries())
    if (index > 0 && index < last && mask & (1 << index)) said.set(field, fields[next++] ?? '');
  const timestamp = timeOf(said.get('date'), said.get('time'));
  const alert = ALERTING.has(type) ? numberOf(said.get('mode')) : undefined;
  const alarm = alert === undefined ? undefined : alarmOf(type, alert);
  const remaining = fields.slice(next);
  const tagReadings = type === 'BLE' ? tagsIn(remaining) : [];
  // A tag report does not say whether it has a fix.
  const isValid = said.get('fix') === '1' || !said.has('fix');
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    ...fixOf(numberOf(said.get('lat')), numberOf(said.get('lng')), isValid),
    ...withNumber('speedKmh', said.get('speed')),
    ...withNumber('courseDeg', said.get('course')),
    ...withNumber('sats', said.get('sats')),
    ...withNumber('gsmSignal', said.get('rssi')),
    ...(alarm ? { alarms: [alarm] } : {}),
    readings: [
      ...reading('firmware', said.get('firmware')),
      ...reading('buffered', said.has('live') ? said.get('live') === '0' : undefined),
      ...cellOf(said),
      ...inputReadings(bitsOf(said.get('inputs'))),
      ...outputReadings(bitsOf(said.get('outputs'))),
      ...reading('event_code', alert),
      ...(type === 'UEX' ? serialDataOf(remaining.join(';')).readings : []),
      ...(type === 'STT' || type === 'ALT' ? assignedIn(said.get('assigned'), remaining) : []),
    ],
    ...(tagReadings.length > 0 ? { tagReadings } : {}),
    recordId: `${type}.${alert ?? said.get('serial') ?? ''}`,
  };
}

/** Reports whose mode is the event number. */
const ALERTING = new Set(['ALT', 'EMG', 'EVT']);
function alarmOf(type: string, alert: number): AlarmWord | undefined {
  if (type === 'EMG') return EMERGENCIES.get(alert) ?? 'general';
  return type === 'ALT' ? ALERTS.get(alert) : undefined;
}

const bitsOf = (text: string | undefined) =>
  text !== undefined && /^[01]{1,16}$/.test(text) ? Number.parseInt(text, 2) : undefined;

function cellOf(said: ReadonlyMap<Field, string>): TrackerReading[] {
  const value = {
    mcc: numberOf(said.get('mcc')),
    mnc: numberOf(said.get('mnc')),
    lac: hexOf(said.get('lac')),
    cid: hexOf(said.get('cid')),
  };
  return value.mcc && value.mnc !== undefined && value.lac !== undefined && value.cid ? [{ type: 'cell', value }] : [];
}

/** Values that the owner assigned to the report: a mask, then one per bit. Only the owner knows their meaning. */
function assignedIn(mask: string | undefined, remaining: readonly string[]): TrackerReading[] {
  const bits = hexOf(mask);
  const numbers = Array.from({ length: 31 }, (_, index) => index + 1).filter((number) =>
    bits === undefined ? false : bits & (1 << (number - 1)),
  );
  const values = remaining.map(
    (value, index) => [numbers[index] ?? `more${index - numbers.length + 1}`, value] as const,
  );
  const present = values.filter(([, value]) => value !== '');
  return present.length > 0 ? [{ type: 'io', value: Object.fromEntries(present) }] : [];
}

const TAG_FIELDS = 7;

/** Signal strength, minimum, maximum, address or UUID, samples, major, minor. */
function tagsIn([count, ...fields]: readonly string[]): BeaconReading[] {
  const tagReadings: BeaconReading[] = [];
  for (let at = 0; at + TAG_FIELDS <= fields.length && tagReadings.length < Number(count); at += TAG_FIELDS) {
    const [rssi, , , id = '', samples, major, minor] = fields.slice(at, at + TAG_FIELDS);
    const sensorDeviceId = sensorIdOf(id, major, minor);
    const strength = numberOf(rssi);
    tagReadings.push({
      type: 'ble_seen',
      value: sensorDeviceId,
      sensorDeviceId,
      ...(strength === undefined ? {} : { rssi: strength }),
      meta: { samples: numberOf(samples), major: numberOf(major), minor: numberOf(minor) },
    });
  }
  return tagReadings;
}

function sensorIdOf(id: string, major: string | undefined, minor: string | undefined): string {
  if (/^[0-9a-f]{12}$/i.test(id)) return addressOf(Buffer.from(id, 'hex'));
  const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i.exec(id);
  return uuid ? `${uuid.slice(1).join('-').toLowerCase()}-${major}-${minor}` : id;
}
