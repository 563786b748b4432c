import { isStorableText } from '@trackway/contract/values.ts';
import { sql } from 'kysely';
import type { UndecodedFrame, UnknownTracker } from '../../calls.ts';
import { findRow } from '../rows.ts';
import type { Store, Tx } from '../schema/tables.ts';

interface Counted<Last> {
  last: Last;
  firstAt: number;
  count: number;
}

/** What is kept of each kind: in memory until it is written, and in the database. */
const MOST_WAITING = 1000;
const MAX_UNKNOWN_TRACKERS = 1000;
const MOST_FRAMES = 2000;
const MAX_NAME = 64;
const MAX_BYTES = 512;

/** Notes unknown trackers and undecodable frames. It is counted in memory and written every now and then. */
export class TrackerNotes {
  #unknownTrackers = new Map<string, Counted<UnknownTracker>>();
  #frames = new Map<string, Counted<UndecodedFrame>>();
  /** Frames that could not be read since the start, by protocol. */
  readonly undecodedBy = new Map<string, number>();

  noteUnknown(unknownTracker: UnknownTracker): void {
    const names = unknownTracker.names.filter((name) => name !== '' && name.length <= MAX_NAME && isStorableText(name));
    if (names.length > 0)
      note(this.#unknownTrackers, `${unknownTracker.protocol} ${names[0]}`, { ...unknownTracker, names });
  }

  undecoded(frame: UndecodedFrame): void {
    this.undecodedBy.set(frame.protocol, (this.undecodedBy.get(frame.protocol) ?? 0) + 1);
    const short = { ...frame, problem: frame.problem.slice(0, 200), bytes: frame.bytes.subarray(0, MAX_BYTES) };
    note(this.#frames, `${frame.protocol} ${senderOf(frame)} ${short.problem}`, short);
  }

  /** Writes what was noted since the last time. */
  async write(store: Store): Promise<void> {
    const unknownTrackers = [...this.#unknownTrackers.values()];
    const frames = [...this.#frames.values()];
    if (unknownTrackers.length + frames.length === 0) return;
    this.#unknownTrackers = new Map();
    this.#frames = new Map();
    await store.transaction(async (tx) => {
      for (const unknownTracker of unknownTrackers) await writeUnknownTracker(tx, unknownTracker);
      for (const frame of frames) await writeFrame(tx, frame);
      if (unknownTrackers.length > 0) await keepNewest(tx, 'unknownTrackers', MAX_UNKNOWN_TRACKERS);
      if (frames.length > 0) await keepNewest(tx, 'undecodedFrames', MOST_FRAMES);
    });
  }
}

function note<Last extends { readonly now: number }>(notes: Map<string, Counted<Last>>, key: string, last: Last): void {
  const known = notes.get(key);
  if (known !== undefined) {
    known.last = last;
    known.count++;
  } else if (notes.size < MOST_WAITING) notes.set(key, { last, firstAt: last.now, count: 1 });
}

function senderOf({ deviceId, name, address }: UndecodedFrame): string {
  if (deviceId !== undefined) return `device ${deviceId}`;
  return name !== undefined && name.length <= MAX_NAME && isStorableText(name) ? name : address;
}

async function writeUnknownTracker(tx: Tx, { last, firstAt, count }: Counted<UnknownTracker>): Promise<void> {
  const { protocol, names, address, now } = last;
  const [identity, ...others] = names;
  await tx
    .insertInto('unknownTrackers')
    .values({ protocol, identity: identity!, otherNames: JSON.stringify(others), address, firstAt, lastAt: now, count })
    .onConflict((on) =>
      on.columns(['protocol', 'identity']).doUpdateSet({
        address,
        lastAt: now,
        otherNames: JSON.stringify(others),
        count: sql`"unknownTrackers"."count" + ${sql.lit(count)}`,
      }),
    )
    .execute();
}

async function writeFrame(tx: Tx, { last, firstAt, count }: Counted<UndecodedFrame>): Promise<void> {
  const { protocol, problem, address, now } = last;
  const deviceId = await existing(tx, last.deviceId);
  const bytes = last.bytes.toString('hex');
  await tx
    .insertInto('undecodedFrames')
    .values({ protocol, sender: senderOf(last), problem, deviceId, address, firstAt, lastAt: now, count, bytes })
    .onConflict((on) =>
      on.columns(['protocol', 'sender', 'problem']).doUpdateSet({
        address,
        lastAt: now,
        bytes,
        deviceId,
        count: sql`"undecodedFrames"."count" + ${sql.lit(count)}`,
      }),
    )
    .execute();
}

/** The device may have been deleted since. */
async function existing(tx: Tx, deviceId: number | undefined): Promise<number | null> {
  if (deviceId === undefined) return null;
  return (await findRow(tx, 'devices', { id: deviceId }, ['id']))?.id ?? null;
}

async function keepNewest(tx: Tx, table: 'unknownTrackers' | 'undecodedFrames', most: number): Promise<void> {
  const last = await tx
    .selectFrom(table)
    .select('lastAt')
    .orderBy('lastAt', 'desc')
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) await tx.deleteFrom(table).where('lastAt', '<=', last.lastAt).execute();
}
