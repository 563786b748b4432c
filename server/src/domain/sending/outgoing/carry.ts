import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Log } from '../../../platform/log.ts';
import { post } from '../../../platform/outbox/post.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { StagedPosting } from './stage.ts';
import { stillWanted } from './still-wanted.ts';

/** Rows that one transaction carries. */
export const MOST_CARRIED = 500;

interface Carried {
  /** How many rows were taken, and how many of them were about somebody or something that is gone. */
  readonly taken: number;
  readonly dropped: number;
}

/** Spelled so that the store sees that one server has all of these slots. */
export const isInGroup = (slots: readonly number[]): RawBuilder<boolean> =>
  sql<boolean>`"slot" = ANY(${`{${slots.join(',')}}`})`;

const isOfDevice = (deviceId: number) => sql<boolean>`"deviceId" = ${deviceId}`;

/**
 * Takes staged rows and posts them, in one transaction: who fails in between leaves them as they were. The rows are locked
 * in the order of their ids, so whoever else carries them waits, and what a device has to send stays in its order.
 * @param which the condition that the rows meet: of slots of one group, or of one device
 */
async function carrySome(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  which: RawBuilder<boolean>,
  now: number,
  most = MOST_CARRIED,
): Promise<Carried> {
  const rows = await tx
    .selectFrom('outgoing')
    .select(['id', 'posting', 'created'])
    .where(which)
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .execute();
  if (rows.length === 0) return { taken: 0, dropped: 0 };
  const staged = rows.map(({ posting, created }) => ({ ...(JSON.parse(posting) as StagedPosting), created }));
  const postings = await stillWanted(tx, staged, now);
  await remove(
    tx,
    which,
    rows.map(({ id }) => id),
  );
  await post(tx, storeKind, postings, now);
  return { taken: rows.length, dropped: rows.length - postings.length };
}

const remove = (tx: Kysely<Tables>, which: RawBuilder<boolean>, ids: readonly number[]) =>
  tx
    .deleteFrom('outgoing')
    .where(which)
    .where(sql<boolean>`"id" = ANY(CAST(${`{${ids.join(',')}}`} AS BIGINT[]))`)
    .execute();

/** All that is staged of a device, in the transaction of whoever needs to see it in the outbox. */
export async function carryDevice(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  now: number,
): Promise<void> {
  while ((await carrySome(tx, storeKind, isOfDevice(deviceId), now)).taken === MOST_CARRIED);
}

/** All that is staged in slots of one group. */
export async function carryGroup(
  store: Store,
  slots: readonly number[],
  log: Pick<Log, 'warn' | 'error'>,
  clock: () => number,
  goOn: () => boolean = () => true,
): Promise<void> {
  const which = isInGroup(slots);
  let most = MOST_CARRIED;
  while (goOn()) {
    try {
      const { taken, dropped } = await store.transaction((tx) => carrySome(tx, store.storeKind, which, clock(), most));
      if (dropped > 0) log.warn({ dropped }, 'What was to be sent of a user or a device that is gone was dropped');
      if (taken < most) return;
    } catch (error) {
      // The store may be better later. Anything else is about one of the rows: they are carried one by one then.
      if (error instanceof StoreTrouble) throw error;
      if (most === 1) await dropFirst(store, which, log, error);
      most = 1;
    }
  }
}

/** A row that can't be posted, neither with the others nor alone, must not hold up what stands behind it. */
async function dropFirst(
  store: Store,
  which: RawBuilder<boolean>,
  log: Pick<Log, 'error'>,
  error: unknown,
): Promise<void> {
  await store.transaction(async (tx) => {
    const first = await tx
      .selectFrom('outgoing')
      .select(['id', 'deviceId'])
      .where(which)
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .executeTakeFirst();
    if (first === undefined) return;
    await remove(tx, which, [first.id]);
    log.error({ error, deviceId: first.deviceId }, 'Something that was to be sent could not be, and was dropped');
  });
}
