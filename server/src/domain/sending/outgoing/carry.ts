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

interface CarryOptions {
  readonly now: number;
  readonly most?: number;
  /** Told the id of the first row, before anything can be wrong with it. */
  readonly taking?: (first: number) => void;
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
  { now, most = MOST_CARRIED, taking = () => {} }: CarryOptions,
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
  taking(rows[0]!.id);
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
  for (;;) {
    const { taken } = await carrySome(tx, storeKind, isOfDevice(deviceId), { now });
    if (taken < MOST_CARRIED) return;
  }
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
    let first: number | undefined;
    const taking = (id: number) => {
      first = id;
    };
    try {
      const { taken, dropped } = await store.transaction((tx) =>
        carrySome(tx, store.storeKind, which, { now: clock(), most, taking }),
      );
      if (dropped > 0) log.warn({ dropped }, 'What was to be sent of a user or a device that is gone was dropped');
      if (taken < most) return;
    } catch (error) {
      // The store may be better later. Anything else is about one of the rows: they are carried one by one then.
      if (error instanceof StoreTrouble || first === undefined) throw error;
      // One that can't be posted, neither with others nor alone, must not hold up what stands behind it.
      if (most === 1) {
        log.error({ error, id: first }, 'Something that was to be sent can not be posted, and was dropped');
        await remove(store.query, which, [first]);
      }
      most = 1;
    }
  }
}
