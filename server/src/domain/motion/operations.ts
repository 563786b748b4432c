import {
  type tripOperations as contract,
  type ExportFormat,
  quarantined,
  stop as stopNoun,
  trip as tripNoun,
} from '@trackway/contract/resources/trip.ts';
import { type Call, type Handlers, type JsonText, TextStream } from '../../calls.ts';
import { columnsOf, presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, ownerOf, searchOf, unlessBusy } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { type DayTrip, requireTimeZone, summarize } from './days.ts';
import { trackExports } from './export.ts';
import { EXPORT_WRITERS } from './export-formats.ts';
import { rangeOf } from './range.ts';
import { summarizeDays } from './summarize-days.ts';
import { type TouchedRange, touchingCells, touchingSql } from './touching.ts';
import { whileSeen } from './while-seen.ts';

/** More rows than this are read and presented on a thread apart. */
const FEW = 200;

export function tripOperations(
  store: Store,
  access: Pick<DeviceAccess, 'isStillSeen'>,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'quarantine', quarantined);
  const aside = familyOf('quarantine', rows, (call) => children('deviceId', call.deviceId));

  const exportOf = trackExports(store);
  const daysOf = store.readWork(summarizeDays);

  /** The rows of a table that overlap a range, in order; undefined where they are more than a few. */
  function fewTouching(table: 'trips' | 'stops', shape: TableShape) {
    const few = store.prepare<Row>(`${table}.few`, touchingSql(table, shape.flatMap(columnsOf), FEW + 1));
    return async (range: TouchedRange): Promise<Row[] | undefined> => {
      const rows = await few.all(...touchingCells(range));
      return rows.length > FEW ? undefined : rows;
    };
  }

  const tripShape = shapeOf(tripNoun);
  const stopShape = shapeOf(stopNoun);
  const fewTrips = fewTouching('trips', tripShape);
  const fewStops = fewTouching('stops', stopShape);
  const touchedBy = (call: Call): TouchedRange => ({
    deviceId: call.deviceId,
    ...rangeOf(call.parameters, call.now),
  });

  async function touching<Shown extends object>(
    call: Call,
    table: 'trips' | 'stops',
    shape: TableShape<Shown>,
    few: (range: TouchedRange) => Promise<Row[] | undefined>,
  ): Promise<Shown[] | JsonText<Shown[]>> {
    const range = touchedBy(call);
    const rows = await few(range);
    if (rows !== undefined) return rows.map((row) => presentRow(shape, row));
    const sql = touchingSql(table, shape.flatMap(columnsOf));
    return searchOf(store, { sql, cells: touchingCells(range), shape, owner: ownerOf(call) });
  }

  return {
    listTrips: (call) => touching(call, 'trips', tripShape, fewTrips),
    listStops: (call) => touching(call, 'stops', stopShape, fewStops),
    async summarizeDays(call) {
      const range = touchedBy(call);
      const tz = (call.parameters.tz as string | undefined) || 'UTC';
      const few = (await fewTrips(range)) as unknown as DayTrip[] | undefined;
      if (few !== undefined) return summarize(few, tz, range);
      requireTimeZone(tz);
      return unlessBusy('summaries', daysOf({ ...range, tz }, ownerOf(call)));
    },

    async exportTrack(call) {
      const format = (call.parameters.format as ExportFormat | undefined) ?? 'gpx';
      const range = rangeOf(call.parameters, call.now);
      const device = await store.query
        .selectFrom('devices')
        .select(['id', 'name'])
        .where('id', '=', call.deviceId)
        .executeTakeFirstOrThrow();
      const named = { id: device.id, name: device.name ?? `Device ${device.id}` };
      const chunks = await exportOf({ device: named, format, ...range }, ownerOf(call));
      const allowed = whileSeen(chunks, () => access.isStillSeen(call.caller, call.deviceId));
      return new TextStream(EXPORT_WRITERS[format].contentType, `device-${device.id}.${format}`, allowed);
    },

    listQuarantine: (call) => listOf(aside, call),
    countQuarantine: (call) => countOf(aside, call),
  };
}
