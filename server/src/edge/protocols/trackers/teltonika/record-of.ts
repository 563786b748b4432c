import type { AlarmWord } from '../alarm-words.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerRecord } from '../tracker.ts';
import { unsignedOf } from './io-table.ts';
import type { AvlRecord, IoValue } from './records.ts';
import { statusOf } from './status.ts';

const GENERATIONS = ['exit', 'entrance', 'both', 'reserved', 'hysteresis', 'change', 'eventual', 'periodical'];

/** Converts a record to the format that all trackers share. */
export function recordOf(record: AvlRecord, model: string | undefined): TrackerRecord {
  const { timestamp, lat, lng, altitudeM, courseDeg, sats, speedKmh, eventId, priority, generation, io } = record;
  const isOfProfessional = isProfessional(model, io);
  const { readings, tagReadings, ...status } = statusOf(io, isOfProfessional);
  const alarm = alarmOf(record, isOfProfessional);
  const cause = generation === undefined ? undefined : GENERATIONS[generation];
  const event =
    eventId === 0 ? [] : [{ type: 'event_code', value: eventId, meta: { priority, ...(cause ? { cause } : {}) } }];
  return {
    timestamp,
    ...fixOf(lat, lng, sats > 0),
    altitudeM,
    courseDeg,
    sats,
    speedKmh,
    ...status,
    readings: [...readings, ...event],
    ...(tagReadings.length > 0 ? { tagReadings } : {}),
    ...(alarm ? { alarms: [alarm] } : {}),
    recordId: `${eventId}.${priority}`,
  };
}

/** Ids that only the professional family sends in this width. */
const TELLTALES = new Map([
  [4, 4],
  [17, 4],
  [20, 2],
  [29, 2],
  [69, 2],
  [86, 4],
  [89, 2],
  [104, 4],
  [113, 4],
  [205, 4],
  [236, 2],
]);

/**
 * Whether a device is of the professional family (FMB640, FMC650, FM6300 …): by its model, or else by the widths of its
 * values. This family uses ids of other families with different meanings.
 */
const isProfessional = (model: string | undefined, io: readonly IoValue[]) =>
  model === undefined
    ? io.some(({ id, bytes, isVariable }) => !isVariable && TELLTALES.get(id) === bytes.length)
    : /^FM[A-Z]?6/i.test(model);

/** The device's zones in order: 155 is the first, 231 the fiftieth. */
const ZONES = new Set([
  155, 156, 157, 158, 159, 61, 62, 63, 64, 65, 70, 88, 91, 92, 93, 94, 95, 96, 97, 98, 99, 153, 154, 190, 191, 192, 193,
  194, 195, 196, 197, 198, 208, 209, 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231,
]);
const AUTOMATIC_ZONE = 175;

type ByValue = (value: number) => AlarmWord | undefined;
const whenSet =
  (alarm: AlarmWord): ByValue =>
  (value) =>
    value > 0 ? alarm : undefined;

const EVENTS: ReadonlyMap<number, ByValue> = new Map<number, ByValue>([
  [239, (value) => (value > 0 ? 'ignitionOn' : 'ignitionOff')],
  [246, whenSet('tow')],
  // 4 and 5 are the track around a crash, which was already reported.
  [247, (value) => (value > 0 && value !== 4 && value !== 5 ? 'crash' : undefined)],
  [249, whenSet('jamming')],
  [253, (value) => ([undefined, 'harshAcceleration', 'harshBraking', 'harshCornering'] as const)[value]],
  [255, whenSet('overspeed')],
]);

/** These have other meanings on the professional family. */
const ORDINARY_EVENTS: ReadonlyMap<number, ByValue> = new Map<number, ByValue>([
  [236, whenSet('sos')],
  [251, whenSet('idle')],
  [252, (value) => (value > 0 ? 'powerCut' : 'powerRestored')],
]);

/** A value is an event only in the record that it caused: all other records contain it too. */
function alarmOf({ eventId, io }: AvlRecord, isProfessional: boolean): AlarmWord | undefined {
  const cause = io.find(({ id, bytes, isVariable }) => id === eventId && bytes.length === 1 && !isVariable);
  if (!cause) return undefined;
  const value = unsignedOf(cause.bytes);
  if (!isProfessional && (ZONES.has(eventId) || eventId === AUTOMATIC_ZONE)) return zoneAlarm(value);
  return EVENTS.get(eventId)?.(value) ?? (isProfessional ? undefined : ORDINARY_EVENTS.get(eventId)?.(value));
}

/** 2: no longer too fast. */
const zoneAlarm = (value: number): AlarmWord | undefined =>
  (['geofenceExit', 'geofenceEnter', undefined, 'overspeed'] as const)[value];
