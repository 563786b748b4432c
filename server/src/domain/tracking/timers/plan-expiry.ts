import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import { claimOccasion, type FiredOnce, fireOnce, ruleOf, watchedTriggers } from './fire-once.ts';

const DAY_MS = 86_400_000;

/** How long before its end each type of trigger announces that a plan expires. */
const AHEAD_MS = [
  ['expiresDaily', DAY_MS],
  ['expiresWeekly', 7 * DAY_MS],
] as const;

/** A plan that expires within a day, or a week; once for each end. */
export async function evaluateExpiry(
  store: Store,
  policy: SendingPolicy,
  now: number,
  owned: OwnedDevices = ALL_DEVICES,
): Promise<FiredOnce[]> {
  const fired: FiredOnce[] = [];
  for (const [type, aheadMs] of AHEAD_MS) {
    const ending = watchedTriggers(store.query, type, now)
      .where('d.expires', '>', now)
      .where('d.expires', '<=', now + aheadMs)
      .where(isOwned('t.deviceId', owned.now()))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('notifications as n')
              .select('n.id')
              .whereRef('n.deviceId', '=', 't.deviceId')
              .whereRef('n.triggerId', '=', 't.id')
              .where((when) => when('n.timestamp', '=', when('d.expires', '-', aheadMs))),
          ),
        ),
      );
    for (const trigger of await ending.execute()) {
      if (!owned.has(trigger.deviceId)) continue;
      const at = trigger.expires! - aheadMs;
      const facts = { expires: new Date(trigger.expires!).toISOString() };
      const firing = { rule: ruleOf(trigger, type), kind: 'expires', at, decidedAt: now, facts };
      const once = await fireOnce(store, policy, trigger, firing, { now, claim: claimOccasion(trigger.id, at) });
      if (once) fired.push(once);
    }
  }
  return fired;
}
