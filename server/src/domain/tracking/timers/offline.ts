import { MODES } from '@trackway/contract/resources/commands/transient.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import {
  type Claim,
  claimOccasion,
  type FiredOnce,
  fireOnce,
  ruleOf,
  type WatchedTrigger,
  watchedTriggers,
} from './fire-once.ts';

/** No trigger has less. */
const MIN_SILENCE_MS = 1000;

/**
 * Nothing received for a while, by the time of reception. Only the time during which a server was up counts, without
 * times when the device was in flight mode by command.
 * @param upSince for how many milliseconds a server was up since a moment
 */
export async function evaluateSilence(
  store: Store,
  policy: SendingPolicy,
  upSince: (moment: number, now: number) => number,
  now: number,
  owned: OwnedDevices = ALL_DEVICES,
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
    .where('s.reportedAt', '<=', now - MIN_SILENCE_MS)
    .where(isOwned('t.deviceId', owned.now()))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notifications as n')
            .select('n.id')
            .whereRef('n.deviceId', '=', 't.deviceId')
            .whereRef('n.triggerId', '=', 't.id')
            .whereRef('n.timestamp', '>', 's.reportedAt'),
        ),
      ),
    );
  for (const trigger of await silent.execute()) {
    const rule = ruleOf(trigger, 'offline');
    const reportedAt = trigger.reportedAt!;
    const silentFrom = Math.max(reportedAt, trigger.flightEnd ?? reportedAt);
    if (silentFrom > now || upSince(silentFrom, now) < (rule.parameters.after as number) * 1000) continue;
    if (!owned.has(trigger.deviceId)) continue;
    const facts = { heardAt: new Date(reportedAt).toISOString(), after: rule.parameters.after };
    const firing = { rule, kind: 'silent', at: now, decidedAt: now, facts };
    const claim = claimSilence(trigger, reportedAt);
    const once = await fireOnce(store, policy, trigger, firing, { now, claim });
    if (once) fired.push(once);
  }
  return fired;
}

/** Not of a device that has reported since it was looked at, to this node or another. */
function claimSilence({ id, deviceId }: WatchedTrigger, reportedAt: number): Claim {
  const claim = claimOccasion(id, reportedAt);
  return async (tx) => {
    const silent = tx.selectFrom('deviceStates').select('deviceId').where('deviceId', '=', deviceId);
    if ((await silent.where('reportedAt', '=', reportedAt).executeTakeFirst()) === undefined) return false;
    return claim(tx);
  };
}
