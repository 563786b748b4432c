import {
  type historyImportOperations as contract,
  historyImport,
  type ImportedPosition,
} from '@trackway/contract/resources/fleet-tools/history-import.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { childNotFound, invalidField, modelNotFound } from '../../../refusals.ts';
import type { ReportedPoint } from '../../../reports.ts';
import { children, familyOf, listOf, readOf, rowOf } from '../../family.ts';
import { collectionOf } from '../../schema/collection.ts';
import type { HistoryImportRow } from '../../schema/rows/tracking-rows.ts';
import type { Store } from '../../schema/tables.ts';
import type { Engine } from '../engine.ts';

const MOST_OPEN = 20;
const MOST_KEPT = 100;
const YEAR_2000 = Date.UTC(2000, 0, 1);

/** Takes histories that somebody has as files: position after position, by whoever reads the file. */
export function historyImportOperations(
  store: Store,
  { intake, endImport }: Pick<Engine, 'intake' | 'endImport'>,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'historyImports', historyImport);
  const family = familyOf('import', rows, ({ deviceId }) => children('deviceId', deviceId));

  async function openImport(call: Call): Promise<HistoryImportRow> {
    const row = (await rowOf(family, call)) as unknown as HistoryImportRow;
    if (row.status !== 'open') throw invalidField('import', 'status', 'ended', 'has ended: begin another import');
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
          throw invalidField('import', 'status', 'tooMany', `is one too many: end one of the ${MOST_OPEN} first`);
        const old = known.slice(MOST_KEPT).filter(({ status }) => status === 'done');
        for (const { id } of old) await tx.deleteFrom('historyImports').where('id', '=', id).execute();
        const hidden = { deviceId, userId: caller.userId, status: 'open', touched: now };
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
      const report = { points: sound, readings: [], gatewayReadings: [], messages: [], isImported: true };
      const receipt = sound.length === 0 ? undefined : await intake.store(deviceId, report, now);
      if (sound.length > 0 && receipt === undefined) throw modelNotFound('device', deviceId);
      const times = sound.map(({ timestamp }) => timestamp!);
      const least = Math.min(row.firstAt ?? Number.POSITIVE_INFINITY, ...times);
      const most = Math.max(row.lastAt ?? Number.NEGATIVE_INFINITY, ...times);
      // Whoever sent the same at the same time has counted it.
      await store.query
        .updateTable('historyImports')
        .set({
          received: row.received + fresh.length,
          stored: row.stored + (receipt?.accepted ?? 0),
          duplicates: row.duplicates + (receipt?.duplicates ?? 0),
          refused: row.refused + fresh.length - sound.length + (receipt?.expired ?? 0),
          firstAt: Number.isFinite(least) ? least : null,
          lastAt: Number.isFinite(most) ? most : null,
          touched: now,
        })
        .where('id', '=', key)
        .where('received', '=', row.received)
        .execute();
      return shown(key);
    },

    async endHistoryImport(call) {
      const { deviceId, key, now } = call;
      await openImport(call);
      const isJudged = { status: 'judging', ended: now, touched: now } as const;
      await store.query.updateTable('historyImports').set(isJudged).where('id', '=', key).execute();
      await endImport(deviceId);
      return shown(key);
    },
  };
}

/** Undefined where it cannot be right. */
function pointOf(position: ImportedPosition, now: number): ReportedPoint | undefined {
  if (!Array.isArray(position) || position.some((cell) => cell !== null && !Number.isFinite(cell))) return undefined;
  const [timestamp, lat, lng, speed, altitude, course, accuracy, battery] = position;
  if (timestamp == null || timestamp < YEAR_2000 || timestamp > now) return undefined;
  if (lat == null || lng == null || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined;
  return {
    timestamp: Math.round(timestamp),
    location: { lat, lng },
    ...(speed != null && { speedKmh: speed }),
    ...(altitude != null && { altitudeM: altitude }),
    ...(course != null && { courseDeg: course }),
    ...(accuracy != null && { accuracyM: accuracy }),
    ...(battery != null && { batteryPct: battery }),
  };
}
