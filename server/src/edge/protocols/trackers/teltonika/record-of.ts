import { fixOf } from '../frame/fix.ts';
import type { TrackerRecord } from '../tracker.ts';
import { alarmOf } from './alarms.ts';
import { isProfessional } from './families.ts';
import type { AvlRecord } from './records.ts';
import { statusOf } from './status.ts';

const GENERATIONS = ['exit', 'entrance', 'both', 'reserved', 'hysteresis', 'change', 'eventual', 'periodical'];

/** What a record says, in words that all trackers share. */
export function recordOf(record: AvlRecord, model: string | undefined): TrackerRecord {
  const { timestamp, lat, lng, altitudeM, courseDeg, sats, speedKmh, eventId, priority, generation, io } = record;
  const isOfProfessional = isProfessional(model, io);
  const { readings, heard, ...status } = statusOf(io, isOfProfessional);
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
    ...(heard.length > 0 ? { heard } : {}),
    ...(alarm ? { alarms: [alarm] } : {}),
    recordId: `${eventId}.${priority}`,
  };
}
