import type { AnswerOf } from '@trackway/contract/operations.ts';
import {
  type tripOperations as contract,
  type ExportFormat,
  quarantined,
  stop as stopNoun,
} from '@trackway/contract/resources/trip.ts';
import { type Call, type Handlers, JsonText, TextStream } from '../../calls.ts';
import { columnsOf, presentRow, type Row } from '../../platform/storage/shape.ts';
import { accessDenied } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { chunkedText } from '../chunked-text.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, ownerOf, searchOf, unlessBusy } from '../family.ts';
import { rangeOf } from '../range.ts';
import { getRow } from '../rows.ts';
import { shapeOf } from '../schema/shape.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { type DayTrip, requireTimeZone, summarize } from './days.ts';
import { drivenTrips, manyDrivenTrips, TRIP_SHAPE } from './driven-trips.ts';
import { EXPORT_WRITERS, exportChunk } from './export.ts';
import { summarizeDays } from './summarize-days.ts';
import { dividedTrips, type TouchedRange, touchingCells, touchingReader, touchingSql } from './touching.ts';

/** More rows than this are read and presented on a separate thread: a busy month of a vehicle has fewer. */
const FEW = 500;

export function tripOperations(
  store: Store,
  access: Pick<DeviceAccess, 'isStillSeen'>,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'quarantine', quarantined);
  const aside = familyOf('quarantine', rows, (call) => children('deviceId', call.deviceId));

  const exportOf = trackExports(store);
  const daysOf = store.readWork(summarizeDays);
  const withTracks = dividedTrips(store);

  /** The rows of a table that overlap a range, in order; undefined if there are more than a few. */
  function fewTouching(table: 'trips' | 'stops', columns: readonly string[]) {
    const few = touchingReader<Row>(store, `${table}.few`, table, columns, FEW + 1);
    return async (range: TouchedRange): Promise<Row[] | undefined> => {
      const rows = await few(range);
      return rows.length > FEW ? undefined : rows;
    };
  }

  const stopShape = shapeOf(stopNoun);
  const stopColumns = stopShape.flatMap(columnsOf);
  const fewTrips = fewTouching('trips', TRIP_SHAPE.flatMap(columnsOf));
  const fewStops = fewTouching('stops', stopColumns);
  const stopCells = touchingCells(store, 'stops');
  const withDrivers = drivenTrips(store);
  const manyTrips = store.readWork(manyDrivenTrips);
  const touchedBy = (call: Call): TouchedRange => ({
    deviceId: call.deviceId,
    ...rangeOf(call.parameters, call.now),
  });

  return {
    async listTrips(call) {
      const wanted = { ...touchedBy(call), now: call.now };
      const few = await fewTrips(wanted);
      if (few !== undefined) return withDrivers(few, wanted);
      return new JsonText<AnswerOf<'listTrips'>>(await unlessBusy('searches', manyTrips(wanted, ownerOf(call))));
    },

    async listStops(call) {
      const range = touchedBy(call);
      const few = await fewStops(range);
      if (few !== undefined) return few.map((row) => presentRow(stopShape, row));
      const sql = touchingSql('stops', stopColumns);
      return searchOf(store, { sql, cells: await stopCells(range), shape: stopShape, owner: ownerOf(call) });
    },

    async summarizeDays(call) {
      const range = touchedBy(call);
      const tz = (call.parameters.tz as string | undefined) || 'UTC';
      const few = (await fewTrips(range)) as unknown as DayTrip[] | undefined;
      if (few !== undefined) return summarize(await withTracks(few, tz, range), tz, range);
      requireTimeZone(tz);
      return unlessBusy('summaries', daysOf({ ...range, tz }, ownerOf(call)));
    },

    async exportTrack(call) {
      const format = (call.parameters.format as ExportFormat | undefined) ?? 'gpx';
      const range = rangeOf(call.parameters, call.now);
      const device = await getRow(store.query, 'devices', { id: call.deviceId }, ['id', 'name']);
      const exported = { format, from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() };
      await recordDeviceAudit(store.query, call, { action: 'track.exported', deviceId: device.id, detail: exported });
      const named = { id: device.id, name: device.name ?? `Device ${device.id}` };
      const chunks = await exportOf({ device: named, format, ...range }, ownerOf(call));
      const allowed = whileSeen(chunks, () => access.isStillSeen(call.caller, call.deviceId));
      return new TextStream(EXPORT_WRITERS[format].contentType, `device-${device.id}.${format}`, allowed);
    },

    listQuarantine: (call) => listOf(aside, call),
    countQuarantine: (call) => countOf(aside, call),
  };
}

/** Exports the positions of a device as a file, in chunks that are formatted on a separate thread. */
export const trackExports = (store: Pick<Store, 'readWork'>) => chunkedText('exports', store.readWork(exportChunk));

/**
 * The chunks of a slowly read response, each only while its reader may still see the device. Not a generator: ending a
 * generator before its start would not end the chunks.
 */
export function whileSeen(
  chunks: AsyncIterable<string>,
  isStillSeen: () => Promise<boolean>,
): AsyncIterableIterator<string> {
  const source = chunks[Symbol.asyncIterator]();
  const end = async () => {
    await source.return?.();
  };
  return {
    async next() {
      const chunk = await source.next();
      if (chunk.done || (await isStillSeen())) return chunk;
      await end();
      throw accessDenied();
    },
    async return() {
      await end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
