import { MODES } from '@trackway/contract/resources/commands/transient.ts';
import { ALL_SLOTS, hasSlotOf, type OwnedSlots } from '../../schema/owned-slots.ts';
import type { Store } from '../../schema/tables.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import {
  type Claim,
  claimOccasion,
  type FiredOnce,
  fireOnce,
  ruleOf,
  type WatchedTrigger,
  watchedTriggers,
} from './fire-once.ts';

/** No trigger asks for less. */
const MIN_SILENCE_MS = 1000;

/**
 * Nothing received for a while, by the time of reception. Only the time during which a server was up counts, and none of
 * the time for which the device was told to be in flight mode.
 * @param upSince for how many milliseconds a server was up since a moment
 */
export async function judgeSilence(
  store: Store,
  policy: SendingPolicy,
  upSince: (moment: number, now: number) => number,
  now: number,
  owned: OwnedSlots = ALL_SLOTS,
): Promise<FiredOnce[]> {
  const fired: FiredOnce[] = [];
  // A silence that was notified already is not read again and again.
  const silent = watchedTriggers(store.query, 'offline', now)
    .select(({ selectFrom }) =>
      selectFrom('transients as f')
        .select(({ fn }) => fn.max('f.end').as('end'))
        .whereRef('f.deviceId', '=', 't.deviceId')
        .where('f.type', '=', MODES.flight)
        .as('flightEnd'),
    )
    .where('s.heardAt', '<=', now - MIN_SILENCE_MS)
    .where(hasSlotOf(owned.now(), 't'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notifications as n')
            .select('n.id')
            .whereRef('n.deviceId', '=', 't.deviceId')
            .whereRef('n.triggerId', '=', 't.id')
            .whereRef('n.timestamp', '>', 's.heardAt'),
        ),
      ),
    );
  for (const trigger of await silent.execute()) {
    const rule = ruleOf(trigger, 'offline');
    const heardAt = trigger.heardAt!;
    const silentFrom = Math.max(heardAt, trigger.flightEnd ?? heardAt);
    if (silentFrom > now || upSince(silentFrom, now) < (rule.parameters.after as number) * 1000) continue;
    if (!owned.has(trigger.deviceId)) continue;
    const facts = { heardAt: new Date(heardAt).toISOString(), after: rule.parameters.after };
    const firing = { rule, kind: 'silent', at: now, decidedAt: now, facts };
    const claim = claimSilence(trigger, heardAt);
    const once = await fireOnce(store, policy, trigger, firing, { now, claim });
    if (once) fired.push(once);
  }
  return fired;
}

/** Not of a device that has reported since it was looked at, to this node or another. */
function claimSilence({ id, deviceId }: WatchedTrigger, heardAt: number): Claim {
  const claim = claimOccasion(id, heardAt);
  return async (tx) => {
    const silent = tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId);
    if ((await silent.where('heardAt', '=', heardAt).executeTakeFirst()) === undefined) return false;
    return claim(tx);
  };
}
