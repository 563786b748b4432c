import { forgetOldAudit } from './domain/audit/retention.ts';
import { forgetOldCommands } from './domain/commands/forget-commands.ts';
import { forgetDeviceEvents } from './domain/devices/device-events.ts';
import { claimWaitingGrants, type ShareFollowers } from './domain/devices/grants.ts';
import { claimWaitingGroupGrants, forgetDeletedGroups } from './domain/devices/groups/waiting-grants.ts';
import { purgeDevices } from './domain/devices/purge.ts';
import { claimWaitingListGrants } from './domain/geofences/lists/waiting-grants.ts';
import { forgetEndedLinks } from './domain/links/end-links.ts';
import { forgetLiveEvents } from './domain/live/forget.ts';
import { cutOf } from './domain/positions/kept-days.ts';
import { cutsOf, type KeptHistory } from './domain/retention/kept-history.ts';
import { endDependants } from './domain/schema/dependants.ts';
import { forgetOld } from './domain/schema/forget-old.ts';
import type { Store } from './domain/schema/tables.ts';
import { forgetGoneBrowsers } from './domain/sending/people/push-subscriptions.ts';
import { forgetQueueProofs } from './domain/sending/queues/queue-proofs.ts';
import { forgetReceivedItems } from './domain/tracking/intake/forget-received.ts';
import { forgetQuarantined } from './domain/tracking/intake/release.ts';
import { forgetOldAnswers } from './domain/users/kept-answers.ts';
import { forgetOldLinks } from './domain/users/mail-links/links.ts';
import { forgetOldMailings } from './domain/users/mail-links/mailings.ts';
import { forgetPasswordFailures } from './domain/users/password-guard.ts';
import { forgetSignInAddresses } from './domain/users/sign-in-addresses.ts';
import { forgetOldTokens } from './domain/users/tokens.ts';
import { timeNow } from './platform/clock.ts';
import type { Log } from './platform/log.ts';
import { forgetOldDeliveries } from './platform/outbox/retention.ts';
import { failureLog } from './platform/storage/failure-log.ts';
import type { Settings } from './settings.ts';

const DAY_MS = 86_400_000;

/** Forgets and ends what has had its time. A step that fails does not keep back those behind it. */
export async function keepHouse(
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
    'waiting shares of lists': () => claimWaitingListGrants(store, now),
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
    // What is in quarantine may be positions, which are to be forgotten by then.
    quarantine: () =>
      forgetQuarantined(store, Math.max(now - quarantineDays * DAY_MS, cutOf(now, kept.positions) ?? 0)),
    'ended versions of geofences': async () => {
      if (ruleVersions !== undefined) await forgetOld(store, 'fenceVersions', 'validTo', ruleVersions);
    },
  };
  const failed = failureLog(log);
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step();
    } catch (error) {
      failed(error, `Housekeeping of ${name} failed`);
    }
  }
}
