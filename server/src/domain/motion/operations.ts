import {
  type tripOperations as contract,
  type ExportFormat,
  quarantined,
  stop as stopNoun,
  trip as tripNoun,
} from '@trackway/contract/resources/trip.ts';
import { type Call, type Handlers, TextStream } from '../../calls.ts';
import { columnsOf, presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { type DayTrip, summarize } from './days.ts';
import { contentTypeOf, exportTrack } from './export.ts';
import { rangeOf } from './range.ts';

/** No trip lasts longer, so one that begins earlier cannot overlap a range. */
const LONGEST_MS = 60 * 86_400_000;
const MOST = 10_000;

export function tripOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'quarantine', quarantined);
  const aside = familyOf('quarantine', rows, (call) => children('deviceId', call.deviceId));

  /** All rows of a table that overlap a range, in order. */
  function touching(table: 'trips' | 'stops', shape: TableShape) {
    const columns = shape
      .flatMap(columnsOf)
      .map((column) => `"${column}"`)
      .join(', ');
    const found = store.prepare<Row>(
      `${table}.touching`,
      `SELECT ${columns} FROM "${table}" WHERE "deviceId" = ? AND "start" >= ? AND "start" <= ? AND "end" >= ? ORDER BY "start", "id" LIMIT ${MOST}`,
    );
    return (call: Call): Promise<Row[]> => {
      const { from, to } = rangeOf(call.parameters, call.now);
      return found.all(call.deviceId, from - LONGEST_MS, to, from);
    };
  }

  const tripShape = shapeOf(tripNoun);
  const stopShape = shapeOf(stopNoun);
  const trips = touching('trips', tripShape);
  const stops = touching('stops', stopShape);

  return {
    listTrips: async (call) => (await trips(call)).map((row) => presentRow(tripShape, row)),
    listStops: async (call) => (await stops(call)).map((row) => presentRow(stopShape, row)),
    summarizeDays: async (call) =>
      summarize(
        (await trips(call)) as unknown as DayTrip[],
        (call.parameters.tz as string | undefined) || 'UTC',
        rangeOf(call.parameters, call.now),
      ),

    async exportTrack(call) {
      const format = (call.parameters.format as ExportFormat | undefined) ?? 'gpx';
      const range = rangeOf(call.parameters, call.now);
      const device = await store.query
        .selectFrom('devices')
        .select(['id', 'name'])
        .where('id', '=', call.deviceId)
        .executeTakeFirstOrThrow();
      const exported = { format, from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };
      await recordDeviceAudit(store.query, call, { action: 'track.exported', deviceId: device.id, detail: exported });
      const named = { id: device.id, name: device.name ?? `Device ${device.id}` };
      return new TextStream(
        contentTypeOf(format),
        `device-${device.id}.${format}`,
        exportTrack(store, named, format, range),
      );
    },

    listQuarantine: (call) => listOf(aside, call),
    countQuarantine: (call) => countOf(aside, call),
  };
}
