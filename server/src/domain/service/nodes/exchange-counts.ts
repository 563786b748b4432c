import { sql } from 'kysely';
import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { failureLog } from '../../../platform/storage/trouble.ts';
import type { Store } from '../../schema/tables.ts';

const EVERY_MS = 1000;
const MINUTE_MS = 60_000;
/** Maximum number of keys that are read of a limit, the highest counts first. */
const MOST_READ = 10_000;
/** Maximum number of counts in one statement. */
const MAX_REPORTED = 1000;

interface KeyCount {
  readonly key: string;
  readonly count: number;
}

/** A limit where each node counts its own part. */
interface ExchangedLimit {
  untold(nodes: number, now: number): readonly KeyCount[];
  reported(news: readonly KeyCount[], minute: number): void;
  setTotals(totals: readonly KeyCount[], minute: number): void;
}

interface ExchangeOptions {
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
    if (!store.dialect.isShared || nodes() < 2) return;
    const now = timeNow();
    const minute = Math.floor(now / MINUTE_MS);
    const names = Object.keys(limits);
    const news = names.flatMap((name) => limits[name]!.untold(nodes(), now).map((one) => ({ name, ...one })));
    if (news.length > 0) await report(store, minute, news);
    for (const name of names) limits[name]!.reported(ofLimit(news, name), minute);
    const totals = await readTotals(store, minute);
    for (const name of names) limits[name]!.setTotals(ofLimit(totals, name), minute);
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

type LimitCount = KeyCount & { readonly name: string };

const ofLimit = (all: readonly LimitCount[], name: string) => all.filter((one) => one.name === name);

/** Of all limits at once: this is asked every second. */
async function readTotals(store: Store, minute: number): Promise<LimitCount[]> {
  const ranked = store.query
    .selectFrom('rateCounts')
    .select(['name', 'key', 'count'])
    .select(sql<number>`ROW_NUMBER() OVER (PARTITION BY "name" ORDER BY "count" DESC)`.as('rank'))
    .where('minute', '=', minute);
  return store.query
    .selectFrom(ranked.as('ranked'))
    .select(['name', 'key', 'count'])
    .where('rank', '<=', MOST_READ)
    .execute();
}

/** In the order of keys, so that two nodes never wait for each other. */
async function report(store: Store, minute: number, news: readonly LimitCount[]): Promise<void> {
  const rows = news
    .map((one) => ({ minute, ...one, at: `${one.name} ${one.key}` }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  for (let start = 0; start < rows.length; start += MAX_REPORTED)
    await store.query
      .insertInto('rateCounts')
      .values(rows.slice(start, start + MAX_REPORTED).map(({ at, ...row }) => row))
      .onConflict((on) =>
        on.columns(['minute', 'name', 'key']).doUpdateSet({
          count: sql<number>`"rateCounts"."count" + excluded."count"`,
        }),
      )
      .execute();
}
