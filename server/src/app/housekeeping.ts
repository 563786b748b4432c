import { forgetOldAudit } from '../domain/audit/record.ts';
import { forgetOldCommands } from '../domain/commands/tracker-commands.ts';
import { forgetGoneBrowsers } from '../domain/delivery/push-subscriptions.ts';
import { forgetQueueProofs } from '../domain/delivery/queue-proofs.ts';
import { forgetDeviceEvents } from '../domain/devices/device-events.ts';
import { claimWaitingGrants, type ShareFollowers } from '../domain/devices/grants.ts';
import { claimWaitingGroupGrants, forgetDeletedGroups } from '../domain/devices/groups/group-shares.ts';
import { purgeDevices } from '../domain/devices/purge.ts';
import { claimWaitingListGrants } from '../domain/geofences/list-members.ts';
import { cutsOf, type KeptHistory } from '../domain/history/kept-history.ts';
import { forgetEndedLinks } from '../domain/links/end-links.ts';
import { forgetLiveEvents } from '../domain/live/log.ts';
import { cutOf } from '../domain/positions/segments.ts';
import { endDependants } from '../domain/schema/dependants.ts';
import { forgetOld } from '../domain/schema/forget-old.ts';
import type { Store } from '../domain/schema/tables.ts';
import { forgetReceivedItems } from '../domain/tracking/intake/keep-once.ts';
import { forgetQuarantined } from '../domain/tracking/release.ts';
import { forgetOldAnswers } from '../domain/users/kept-answers.ts';
import { forgetOldLinks } from '../domain/users/mail-links.ts';
import { forgetOldMailings } from '../domain/users/mailings.ts';
import { forgetPasswordFailures } from '../domain/users/password-guard.ts';
import { forgetSignInAddresses } from '../domain/users/sign-in-addresses.ts';
import { forgetOldTokens } from '../domain/users/tokens.ts';
import { timeNow } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { forgetOldDeliveries } from '../platform/outbox/retention.ts';
import { failureLog } from '../platform/storage/trouble.ts';
import type { Settings } from './settings.ts';

const DAY_MS = 86_400_000;

/** Forgets and ends what has had its time. A step that fails does not keep back those behind it. */
export async function runHourlyTasks(
  store: Store,
  { auditDays, quarantineDays, kept }: Pick<Settings, 'auditDays' | 'quarantineDays'> & { readonly kept: KeptHistory },
  shareFollowers: ShareFollowers,
  log: Pick<Log, 'error'>,
): Promise<void> {
  const now = timeNow();
  const { ruleVersions } = cutsOf(kept, null, now);
  const steps: Record<string, () => Promise<unknown>> = {
    tokens: () => forgetOldTokens(store, now),
    'links of mails': () => forgetOldLinks(store.query, now),
    'ended links': () => forgetEndedLinks(store, now),
    mailings: () => forgetOldMailings(store, now),
    'waiting shares': () => claimWaitingGrants(store, shareFollowers, now),
    'waiting shares of groups': () => claimWaitingGroupGrants(store, shareFollowers, now),
    'deleted groups': () => forgetDeletedGroups(store, now),
    'waiting shares of lists': () => claimWaitingListGrants(store),
    'the audit trail': () => forgetOldAudit(store, now - auditDays * DAY_MS),
    'deleted devices': () => purgeDevices(store, now),
    'live events': () => forgetLiveEvents(store, now),
    'gone browsers': () => forgetGoneBrowsers(store),
    deliveries: () => forgetOldDeliveries(store, now, (ids) => endDependants(store.query, 'outbox', ids)),
    'proofs of queues': () => forgetQueueProofs(store, now),
    'failed passwords': () => forgetPasswordFailures(store, now),
    'addresses of sign-ins': () => forgetSignInAddresses(store, now),
    'received items': () => forgetReceivedItems(store, now),
    'commands to devices': () => forgetOldCommands(store, now),
    'kept answers': () => forgetOldAnswers(store, now),
    'events of devices': () => forgetDeviceEvents(store, now),
    // Quarantined items may be positions, which must be deleted by then.
    quarantine: () =>
      forgetQuarantined(store, Math.max(now - quarantineDays * DAY_MS, cutOf(now, kept.positions) ?? 0)),
    'ended versions of geofences': async () => {
      if (ruleVersions !== undefined) await forgetOld(store, 'geofenceVersions', 'validTo', ruleVersions);
    },
  };
  const failed = failureLog(log);
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
    } catch (error) {
      failed(error, `The hourly cleanup of ${name} failed`);
    }
  }
}
