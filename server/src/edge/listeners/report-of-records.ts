import type { Report, ReportedPoint, ReportedReading, ServingCell } from '../../reports.ts';
import { type AlarmWord, alertOf } from '../protocols/trackers/alarm-words.ts';
import type { TrackerReading, TrackerRecord } from '../protocols/trackers/tracker.ts';
import { chargeOf } from '../protocols/units.ts';
import type { Repeats, StandingAlarms } from './device-memory.ts';

interface Origin {
  readonly deviceId: number;
  readonly now: number;
  readonly frame: Buffer;
}

/** A report without items: the device is connected, but sends no data. */
const EMPTY_REPORT: Report = { points: [], readings: [], gatewayReadings: [], messages: [] };

/** State from earlier frames. */
export interface RecordMemory {
  /** Determines which standing alarms of a record are new. */
  readonly alarms: Pick<StandingAlarms, 'risen'>;
  /** Sightings by devices; unchanged ones are stored only occasionally. */
  readonly sightings: Repeats;
}

/** Converts the records of a tracker frame to a report. */
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
    for (const reading of record.readings ?? []) {
      const { type, value, meta } = reading;
      if (point?.cell === undefined || !isServingCell(reading))
        readings.push({ timestamp, isTimeAssumed, type, value, ...(meta && { meta }) });
    }
    for (const alarm of raised) {
      const reading = readingOfAlarm(alarm);
      if (reading.type === 'ignition' && record.readings?.some(({ type }) => type === 'ignition')) continue;
      readings.push({ timestamp, isTimeAssumed, ...reading });
    }
    if (!record.isValid && isPlace(record.location))
      readings.push({ timestamp, isTimeAssumed, type: 'last_place', value: record.location });
    for (const { sensorDeviceId, type, value, rssi, meta } of record.tagReadings ?? []) {
      const sender = `${origin.deviceId} ${sensorDeviceId} ${type}`;
      const said = JSON.stringify(value) ?? '';
      if (!memory.sightings.isNewsOf(timestamp, sender, said)) continue;
      memory.sightings.reported(sender, said, timestamp);
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
  // Repeated data without a time is recognised by its bytes.
  const asSent = isTimed ? undefined : () => origin.frame.toString('latin1');
  return { points, readings, gatewayReadings, messages: [], ...(asSent && { asSent }) };
}

function alarmsOf(
  { alarms, standingAlarms }: TrackerRecord,
  deviceId: number,
  at: number,
  rising: RecordMemory['alarms'],
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

/** Devices without a fix send zeros, and some of them impossible coordinates. */
const isPlace = (place: TrackerRecord['location']): place is NonNullable<TrackerRecord['location']> =>
  place !== undefined &&
  Math.abs(place.lat) <= 90 &&
  Math.abs(place.lng) <= 180 &&
  !(place.lat === 0 && place.lng === 0);

const isServingCell = ({ type }: TrackerReading) => type === 'cell';

/** The serving cell is part of a position with a fix, and a reading otherwise. */
function servingCellIn({ readings }: TrackerRecord): ServingCell | undefined {
  const reading = readings?.find(isServingCell);
  return reading && { ...(reading.value as ServingCell), ...reading.meta };
}

/** Undefined if the record has only readings. */
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
    cell: hasFix ? servingCellIn(record) : undefined,
  };
}
