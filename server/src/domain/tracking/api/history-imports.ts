import {
  type historyImportOperations as contract,
  historyImport,
  type ImportedPosition,
} from '@trackway/contract/resources/fleet-tools/history-import.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { childNotFound, invalidField, modelNotFound } from '../../../refusals.ts';
import type { ReportedPoint } from '../../../reports.ts';
import { children, familyOf, listOf, readOf, rowOf } from '../../family.ts';
import type { HistoryImportRow } from '../../schema/rows/tracking-rows.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store } from '../../schema/tables.ts';
import type { Engine } from '../engine.ts';
import { countImported } from '../history/import-row.ts';

const MOST_OPEN = 20;
const MOST_KEPT = 100;
const YEAR_2000 = Date.UTC(2000, 0, 1);

/** Imports histories from files. The client reads the file and sends its positions. */
export function historyImportOperations(
  store: Store,
  { intake, endImport }: Pick<Engine, 'intake' | 'endImport'>,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'historyImports', historyImport);
  const family = familyOf('import', rows, ({ deviceId }) => children('deviceId', deviceId));

  async function openImport(call: Call): Promise<HistoryImportRow> {
    const row = (await rowOf(family, call)) as unknown as HistoryImportRow;
    if (row.status !== 'open') throw invalidField('import', 'status', 'ended', 'has ended: start another import');
    return row;
  }
  async function shown(id: number) {
    const row = await store.query.selectFrom('historyImports').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw childNotFound('import', id);
    return rows.present({ ...row });
  }

  return {
    listHistoryImports: (call) => listOf(family, call),
    getHistoryImport: (call) => readOf(family, call),

    async createHistoryImport({ deviceId, caller, body, now }) {
      const made = await store.transaction(async (tx) => {
        const known = await tx
          .selectFrom('historyImports')
          .select(['id', 'status'])
          .where('deviceId', '=', deviceId)
          .orderBy('id', 'desc')
          .execute();
        if (known.filter(({ status }) => status === 'open').length >= MOST_OPEN)
          throw invalidField(
            'import',
            'status',
            'tooMany',
            `exceeds the limit of ${MOST_OPEN} open imports: end one first`,
          );
        const old = known.slice(MOST_KEPT).filter(({ status }) => status === 'done');
        for (const { id } of old) await tx.deleteFrom('historyImports').where('id', '=', id).execute();
        const hidden = { deviceId, userId: caller.userId, status: 'open', touchedAt: now };
        return rows.insert({ ...body, created: now }, tx, hidden);
      });
      return rows.present(made);
    },

    async addImportedPoints(call) {
      const { deviceId, key, body, now } = call;
      const row = await openImport(call);
      const { first, points } = body as { first: number; points: readonly ImportedPosition[] };
      if (first > row.received)
        throw invalidField('import', 'first', 'range', `must be at most ${row.received}, the number received`);
      const fresh = points.slice(row.received - first);
      const sound = fresh.map((one) => pointOf(one, now)).filter((point) => point !== undefined);
      const importPart = { importId: key, receivedBefore: row.received, sent: fresh.length };
      const parts = { readings: [], gatewayReadings: [], messages: [], isImported: true, importPart };
      const nothing = { deviceId, times: [], duplicates: 0, now };
      if (sound.length === 0) await store.transaction((tx) => countImported(tx, importPart, nothing));
      else if ((await intake.store(deviceId, { ...parts, points: sound }, now)) === undefined)
        throw modelNotFound('device', deviceId);
      return shown(key);
    },

    async endHistoryImport(call) {
      const { deviceId, key, now } = call;
      await openImport(call);
      const ended = { status: 'judging', ended: now, touchedAt: now } as const;
      await store.query.updateTable('historyImports').set(ended).where('id', '=', key).execute();
      await endImport(deviceId);
      return shown(key);
    },
  };
}

const numberOf = (cell: number | null | undefined) => (cell == null ? undefined : cell + 0);

/** Undefined where it cannot be right. */
function pointOf(position: ImportedPosition, now: number): ReportedPoint | undefined {
  if (!Array.isArray(position) || position.some((cell) => cell !== null && !Number.isFinite(cell))) return undefined;
  const [timestamp, lat, lng, speed, altitude, course, accuracy, battery] = position;
  if (timestamp == null || timestamp < YEAR_2000 || timestamp > now) return undefined;
  if (lat == null || lng == null || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined;
  return {
    timestamp: Math.round(timestamp),
    // Normalizes -0 to 0, because rows contain only 0.
    location: { lat: lat + 0, lng: lng + 0 },
    speedKmh: numberOf(speed),
    altitudeM: numberOf(altitude),
    courseDeg: numberOf(course),
    accuracyM: numberOf(accuracy),
    batteryPct: numberOf(battery),
  };
}
