import type { Log } from '../../../platform/log.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { type PlacedTag, type PlacingOptions, placeTag } from './place-tag.ts';

const AT_ONCE = 200;
/** Where a tag fails, the others go on; it is tried again after this. */
const AGAIN_MS = 60_000;

interface Placing extends Omit<PlacingOptions, 'now'> {
  readonly log: Log;
  readonly now: () => number;
  readonly goOn: () => boolean;
  readonly owned?: OwnedDevices;
  readonly placed: (deviceId: number, tag: PlacedTag) => void;
}

/** Places all tags that are due, some at a time, each for itself. */
export async function placeDueTags(
  store: Store,
  rulesCache: RulesCache,
  { log, now, goOn, owned = ALL_DEVICES, placed, windowMs, units }: Placing,
): Promise<void> {
  for (;;) {
    const due = await dueTags(store, now(), owned.now());
    for (const deviceId of due) {
      if (!goOn()) return;
      if (!owned.has(deviceId)) continue;
      try {
        const tag = await placeTag(store, rulesCache, deviceId, { now: now(), windowMs, units });
        if (tag) placed(deviceId, tag);
      } catch (error) {
        // Where the store itself is in trouble, the others fail too.
        if (error instanceof StoreTrouble) throw error;
        log.error({ error, deviceId }, 'Placing a tag failed');
        await postpone(store, deviceId, now() + AGAIN_MS);
      }
    }
    if (due.length < AT_ONCE) return;
  }
}

async function dueTags(store: Store, now: number, ownership: Ownership): Promise<number[]> {
  const rows = await store.query
    .selectFrom('placeQueue')
    .select('deviceId')
    .distinct()
    .where('dueAt', '<=', now)
    .where(isOwned(ownership))
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ deviceId }) => deviceId);
}

const postpone = (store: Store, deviceId: number, dueAt: number) =>
  store.query.updateTable('placeQueue').set({ dueAt }).where('deviceId', '=', deviceId).execute();
