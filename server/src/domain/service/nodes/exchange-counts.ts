import { sql } from 'kysely';
import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { failureLog } from '../../../platform/storage/failure-log.ts';
import type { Store } from '../../schema/tables.ts';

const EVERY_MS = 1000;
const MINUTE_MS = 60_000;
/** The most keys that are read of a limit, those that used most first. */
const MOST_READ = 10_000;

interface KeyCount {
  readonly key: string;
  readonly count: number;
}

/** A limit of which each node counts its own part. */
export interface ExchangedLimit {
  untold(nodes: number, now: number): readonly KeyCount[];
  told(news: readonly KeyCount[], minute: number): void;
  heard(totals: readonly KeyCount[], minute: number): void;
}

export interface ExchangeOptions {
  readonly log: Log;
  /** How many nodes run. */
  nodes(): number;
  readonly everyMs?: number;
}

/**
 * Tells the other nodes each second what was counted here, and reads what they counted. A node that is alone writes
 * nothing.
 */
export function exchangeCounts(
  store: Store,
  limits: Readonly<Record<string, ExchangedLimit>>,
  { log, nodes, everyMs = EVERY_MS }: ExchangeOptions,
): { now(): Promise<void>; stop(): Promise<void> } {
  let forgotten = 0;

  async function exchange(): Promise<void> {
    if (store.storeKind === 'sqlite' || nodes() < 2) return;
    const now = timeNow();
    const minute = Math.floor(now / MINUTE_MS);
    for (const [name, limit] of Object.entries(limits)) {
      const news = limit.untold(nodes(), now);
      if (news.length > 0) {
        await tell(store, minute, name, news);
        limit.told(news, minute);
      }
      const totals = await store.query
        .selectFrom('rateCounts')
        .select(['key', 'count'])
        .where('minute', '=', minute)
        .where('name', '=', name)
        .orderBy('count', 'desc')
        .limit(MOST_READ)
        .execute();
      limit.heard(totals, minute);
    }
    if (minute === forgotten) return;
    forgotten = minute;
    await store.query.deleteFrom('rateCounts').where('minute', '<', minute).execute();
  }

  const failed = failureLog(log);
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    running = exchange()
      .catch((error) => failed(error, 'Exchanging counts with other nodes failed'))
      .finally(() => {
        isRunning = false;
      });
  }, everyMs).unref();
  return {
    now: exchange,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** In the order of keys, so that two nodes never wait for each other. */
async function tell(store: Store, minute: number, name: string, news: readonly KeyCount[]): Promise<void> {
  const rows = [...news].sort((a, b) => (a.key < b.key ? -1 : 1)).map((one) => ({ minute, name, ...one }));
  await store.query
    .insertInto('rateCounts')
    .values(rows)
    .onConflict((on) =>
      on.columns(['minute', 'name', 'key']).doUpdateSet({
        count: sql<number>`"rateCounts"."count" + excluded."count"`,
      }),
    )
    .execute();
}
