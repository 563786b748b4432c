import type { Report, ReportedPoint, ReportedReading } from '../../reports.ts';
import { type AlarmWord, alertOf } from '../protocols/trackers/alarm-words.ts';
import type { TrackerRecord } from '../protocols/trackers/tracker.ts';
import { chargeOf } from '../protocols/units.ts';
import type { Repeats } from './repeats.ts';

/** Tells which standing alarms of a record are new. */
export interface RisingAlarms {
  risen(deviceId: number, standing: readonly AlarmWord[], at: number): readonly AlarmWord[];
}

interface Origin {
  readonly deviceId: number;
  readonly now: number;
  readonly frame: Buffer;
}

/** A report without items: the device is there, and says no more. */
export const EMPTY_REPORT: Report = { points: [], readings: [], gatewayReadings: [], messages: [] };

/** What is remembered of earlier frames. */
export interface RecordMemory {
  readonly alarms: RisingAlarms;
  /** What devices heard of others: what does not change is stored now and then only. */
  readonly hearings: Repeats;
}

/** What a frame of a tracker says, in the terms of a report. */
export function reportOfRecords(records: readonly TrackerRecord[], origin: Origin, memory: RecordMemory): Report {
  if (records.length === 0) return EMPTY_REPORT;
  const points: ReportedPoint[] = [];
  const readings: ReportedReading[] = [];
  const gatewayReadings: ReportedReading[] = [];
  let isTimed = true;
  for (const record of records) {
    const timestamp = record.timestamp ?? origin.now;
    const isTimeAssumed = record.timestamp === undefined;
    if (isTimeAssumed) isTimed = false;
    const raised = alarmsOf(record, origin.deviceId, timestamp, memory.alarms);
    const point = pointOf(record, raised, timestamp, isTimeAssumed);
    if (point !== undefined) points.push(point);
    for (const { type, value, meta } of record.readings ?? [])
      readings.push({ timestamp, isTimeAssumed, type, value, ...(meta && { meta }) });
    for (const alarm of raised) {
      const reading = readingOfAlarm(alarm);
      if (reading.type === 'ignition' && record.readings?.some(({ type }) => type === 'ignition')) continue;
      readings.push({ timestamp, isTimeAssumed, ...reading });
    }
    if (!record.isValid && isPlace(record.location))
      readings.push({ timestamp, isTimeAssumed, type: 'last_place', value: record.location });
    for (const { sensorDeviceId, type, value, rssi, meta } of record.heard ?? []) {
      const sender = `${origin.deviceId} ${sensorDeviceId} ${type}`;
      const said = JSON.stringify(value) ?? '';
      if (!memory.hearings.isNewsOf(timestamp, sender, said)) continue;
      memory.hearings.told(sender, said, timestamp);
      gatewayReadings.push({
        timestamp,
        isTimeAssumed,
        sensorDeviceId,
        type,
        value,
        ...(rssi !== undefined && { rssi }),
        ...(meta && { meta }),
      });
    }
  }
  // What bears no time is recognised by the bytes when it is sent again.
  const asSent = isTimed ? undefined : () => origin.frame.toString('latin1');
  return { points, readings, gatewayReadings, messages: [], ...(asSent && { asSent }) };
}

function alarmsOf(
  { alarms, standingAlarms }: TrackerRecord,
  deviceId: number,
  at: number,
  rising: RisingAlarms,
): readonly AlarmWord[] {
  if (standingAlarms === undefined) return alarms ?? NONE;
  const risen = rising.risen(deviceId, standingAlarms, at);
  return alarms === undefined || alarms.length === 0 ? risen : [...new Set([...alarms, ...risen])];
}

const NONE: readonly AlarmWord[] = [];

function readingOfAlarm(alarm: AlarmWord): { readonly type: string; readonly value: unknown } {
  if (alarm === 'ignitionOn') return { type: 'ignition', value: true };
  if (alarm === 'ignitionOff') return { type: 'ignition', value: false };
  return { type: 'alarm', value: alarm };
}

/** Devices without a fix send zeros, and some of them places that do not exist. */
const isPlace = (place: TrackerRecord['location']): place is NonNullable<TrackerRecord['location']> =>
  place !== undefined &&
  Math.abs(place.lat) <= 90 &&
  Math.abs(place.lng) <= 180 &&
  !(place.lat === 0 && place.lng === 0);

/** Undefined where the record has only readings. */
function pointOf(
  record: TrackerRecord,
  raised: readonly AlarmWord[],
  timestamp: number,
  isTimeAssumed: boolean,
): ReportedPoint | undefined {
  const { batteryPct, batteryVoltage, isCharging, gsmSignal } = record;
  let alertType = 0;
  for (const alarm of raised) alertType |= alertOf(alarm);
  const hasFix = record.isValid && isPlace(record.location);
  const saysPlace = record.location !== undefined;
  const hasStatus =
    batteryPct !== undefined || batteryVoltage !== undefined || isCharging !== undefined || gsmSignal !== undefined;
  if (!saysPlace && !hasStatus && alertType === 0) return undefined;
  return {
    timestamp,
    isTimeAssumed,
    location: hasFix ? record.location : undefined,
    locationType: hasFix ? record.locationType : saysPlace ? 'invalid' : undefined,
    speedKmh: hasFix ? record.speedKmh : undefined,
    altitudeM: hasFix ? record.altitudeM : undefined,
    courseDeg: hasFix ? record.courseDeg : undefined,
    accuracyM: hasFix ? record.accuracyM : undefined,
    hdop: hasFix ? record.hdop : undefined,
    sats: record.sats,
    batteryPct,
    batteryVoltage,
    averageCharge: chargeOf(isCharging),
    gsmSignal,
    alertType: alertType === 0 ? undefined : alertType,
    correlationId: record.recordId,
  };
}
