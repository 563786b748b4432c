import type { Log } from '../../platform/log.ts';
import type { ReportedPoint, ReportedReading } from '../../reports.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store } from '../schema/tables.ts';
import type { Pipeline } from './pipeline.ts';
import { normalizePoint, normalizeReading, quarantineReason } from './report/normalize.ts';
import type { ClockDoubt } from './timers/clock-doubt.ts';

/** Takes quarantined items in after all: by their own times, each once, wherever they can be true by now. */

export interface QuarantineChoice {
  readonly id?: number | null;
  readonly deviceId?: number | null;
  readonly reason?: string | null;
  readonly from?: number | null;
  readonly to?: number | null;
}

const CHUNK = 500;
/** Of one call: the rest is for the next. */
const MAX_ITEMS = 10_000;

export const chosen = ({ query }: Pick<Store, 'query'>, choice: QuarantineChoice, after: number) => {
  let found = query.selectFrom('quarantine').where('quarantine.id', '>', after);
  if (choice.id != null) found = found.where('quarantine.id', '=', choice.id);
  if (choice.deviceId != null) found = found.where('deviceId', '=', choice.deviceId);
  if (choice.reason != null) found = found.where('reason', '=', choice.reason);
  if (choice.from != null) found = found.where('created', '>=', choice.from);
  if (choice.to != null) found = found.where('created', '<', choice.to);
  return found.orderBy('quarantine.id').limit(CHUNK);
};

export interface Released {
  released: number;
  duplicates: number;
  refused: number;
  hasMore: boolean;
}

export async function releaseQuarantined(
  store: Store,
  intake: Pick<Pipeline, 'store'>,
  choice: QuarantineChoice,
  now: number,
): Promise<Released> {
  const sum = { released: 0, duplicates: 0, refused: 0, hasMore: false };
  for (let [after, seen] = [0, 0]; ; ) {
    const rows = await chosen(store, choice, after).select(['id', 'deviceId', 'list', 'report']).execute();
    for (const [deviceId, own] of Map.groupBy(rows, (row) => row.deviceId)) {
      const sound: number[] = [];
      const report: Lists = { points: [], readings: [], gatewayReadings: [] };
      for (const row of own) if (addSound(report, row.list, row.report, now)) sound.push(row.id);
      sum.refused += own.length - sound.length;
      if (sound.length === 0) continue;
      const receipt = await intake.store(deviceId, { ...report, messages: [], isReleased: true }, now);
      // A device that is gone has nothing to take in.
      if (receipt === undefined) {
        sum.refused += sound.length;
        continue;
      }
      sum.released += receipt.accepted;
      sum.duplicates += receipt.duplicates;
      // Should the process end before this, the same items are known as duplicates when they are released again.
      await store.query.deleteFrom('quarantine').where('deviceId', '=', deviceId).where('id', 'in', sound).execute();
    }
    seen += rows.length;
    if (rows.length < CHUNK) return sum;
    if (seen >= MAX_ITEMS) return { ...sum, hasMore: true };
    after = rows.at(-1)!.id;
  }
}

interface Lists {
  readonly points: ReportedPoint[];
  readonly readings: ReportedReading[];
  readonly gatewayReadings: ReportedReading[];
}

/** Whether the item can be true by now: then it is added to the report. */
function addSound(report: Lists, list: string, text: string, now: number): boolean {
  const item = JSON.parse(text);
  if (typeof item !== 'object' || item === null || 'cut' in item || typeof item.timestamp !== 'number') return false;
  // A number that JSON cannot say was none.
  const given = { ...(Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as object) };
  const own = { ...given, isTimeAssumed: false } as ReportedPoint & ReportedReading;
  if (list === 'points') {
    if (typeof normalizePoint(own, now) === 'string') return false;
    report.points.push(own);
  } else if (list === 'readings' || list === 'gatewayReadings') {
    if (typeof normalizeReading(own, now) === 'string') return false;
    report[list].push(own);
  } else return false;
  return true;
}

export async function discardQuarantined(
  store: Store,
  choice: QuarantineChoice,
): Promise<{ discarded: number; hasMore: boolean }> {
  for (let discarded = 0; ; ) {
    const ids = (await chosen(store, choice, 0).select('quarantine.id').execute()).map(({ id }) => id);
    if (ids.length > 0) await store.query.deleteFrom('quarantine').where('id', 'in', ids).execute();
    discarded += ids.length;
    if (ids.length < CHUNK) return { discarded, hasMore: false };
    if (discarded >= MAX_ITEMS) return { discarded, hasMore: true };
  }
}

/** Deletes what has been in quarantine for too long. */
export const forgetQuarantined = (store: Store, before: number) => forgetOld(store, 'quarantine', 'created', before);

const RELEASE_MS = 60_000;

/** Says when the server's clock is in doubt, and takes in what was quarantined for that once the clock is right again. */
export function watchClock(
  store: Store,
  intake: Pipeline,
  clockDoubt: ClockDoubt,
  log: Log,
): { look(now: number, steady: number): Promise<void> } {
  let isInDoubt = false;
  let nextRelease = Number.NEGATIVE_INFINITY;
  return {
    async look(now, steady) {
      const offsetMs = clockDoubt.offsetMs();
      if (isInDoubt !== (offsetMs !== null)) {
        isInDoubt = offsetMs !== null;
        nextRelease = steady;
        if (offsetMs === null) log.info({}, 'The clock of this server agrees with the devices again');
        else
          log.warn(
            { offsetSeconds: Math.round(offsetMs / 1000) },
            offsetMs > 0
              ? 'The clock of this server is behind the clocks of most devices: set it'
              : 'The clock of this server is ahead of the clocks of most devices, or all their reports arrive late: check it',
          );
      }
      if (isInDoubt || steady < nextRelease) return;
      nextRelease = steady + RELEASE_MS;
      const waiting = await store.query
        .selectFrom('quarantine')
        .select('id')
        .where('reason', '=', quarantineReason('clockInDoubt'))
        .limit(1)
        .executeTakeFirst();
      if (waiting === undefined) return;
      const { released } = await releaseQuarantined(store, intake, { reason: quarantineReason('clockInDoubt') }, now);
      if (released > 0) log.info({ released }, 'Items that were quarantined while the clock was in doubt are released');
    },
  };
}
