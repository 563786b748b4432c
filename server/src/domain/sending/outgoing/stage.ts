import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Content } from '../../../platform/outbox/channel.ts';
import { type Posting, post } from '../../../platform/outbox/post.ts';
import { insertOf, runRows } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';

/** What of a store decides where postings of devices are written. */
export type PostingStore = Pick<Workplace<Tables>, 'storeKind' | 'groupOfSlot'>;

/** A posting with all that is decided when it is caused. */
export interface StagedPosting extends Posting {
  readonly deviceId: number;
  readonly messageId: string;
  readonly content: Content;
}

const INSERT = insertOf('outgoing', { deviceId: 'integer', userId: 'integer', posting: 'text', created: 'time' });

/**
 * Stores postings of devices in the transaction that causes them. Where rows are spread over servers, the outbox may be at
 * another one than the device, and a transaction at both would be committed in two phases: there they are staged beside
 * the device, and `carrier.ts` brings them into the outbox right after.
 */
export async function postOfDevices(
  tx: Kysely<Tables>,
  { storeKind, groupOfSlot }: PostingStore,
  postings: readonly Posting[],
  now: number,
): Promise<void> {
  if (groupOfSlot === undefined) await post(tx, storeKind, postings, now);
  else await stage(tx, storeKind, postings, now);
}

async function stage(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  postings: readonly Posting[],
  now: number,
): Promise<void> {
  const rows = postings.map((posting) => {
    const { deviceId, userId } = posting;
    if (deviceId === null) throw new Error('Only what is about a device can wait in its slot');
    return [deviceId, userId, JSON.stringify(decided(posting, deviceId)), now];
  });
  await runRows(tx, storeKind, INSERT, rows);
}

function decided(posting: Posting, deviceId: number): StagedPosting {
  const { content, messageId = randomUUID() } = posting;
  return { ...posting, deviceId, messageId, content: typeof content === 'function' ? content(messageId) : content };
}
