import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { forgetOldAudit } from '../domain/audit/record.ts';
import { forgetOldCommands } from '../domain/commands/tracker-commands.ts';
import { sendDigests } from '../domain/delivery/digests.ts';
import { forgetGoneBrowsers } from '../domain/delivery/push-subscriptions.ts';
import { forgetQueueProofs } from '../domain/delivery/queue-proofs.ts';
import { forgetDeviceEvents } from '../domain/devices/device-events.ts';
import { claimWaitingGrants, type ShareFollowers } from '../domain/devices/grants.ts';
import { claimWaitingGroupGrants, forgetDeletedGroups } from '../domain/devices/groups/group-shares.ts';
import { purgeDevices } from '../domain/devices/purge.ts';
import { claimWaitingListGrants } from '../domain/geofences/list-members.ts';
import { endErasures } from '../domain/history/erase.ts';
import { cutsOf, type KeptHistory } from '../domain/history/kept-history.ts';
import { forgetEndedLinks } from '../domain/links/end-links.ts';
import { forgetLiveEvents } from '../domain/live/log.ts';
import { makeMonths } from '../domain/positions/segment-months.ts';
import { cutOf } from '../domain/positions/segments.ts';
import { endDependants } from '../domain/schema/dependants.ts';
import { forgetOld } from '../domain/schema/forget-old.ts';
import type { Store } from '../domain/schema/tables.ts';
import { forgetReceivedItems } from '../domain/tracking/intake/keep-once.ts';
import { forgetQuarantined } from '../domain/tracking/release.ts';
import { showFenceChecks } from '../domain/tracking/state/own-fences.ts';
import { escalateDue } from '../domain/tracking/timers/escalate.ts';
import { startFollowing } from '../domain/triggers/follow-rules.ts';
import { forgetOldAnswers } from '../domain/users/kept-answers.ts';
import { forgetOldLinks } from '../domain/users/mail-links.ts';
import { eraseSentMail, forgetOldMailings } from '../domain/users/mailings.ts';
import { forgetPasswordFailures } from '../domain/users/password-guard.ts';
import { forgetSignInAddresses } from '../domain/users/sign-in-addresses.ts';
import { forgetOldTokens } from '../domain/users/tokens.ts';
import { timeNow } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { forgetOldDeliveries } from '../platform/outbox/retention.ts';
import { failureLog } from '../platform/storage/trouble.ts';
import { keptHistoryOf } from './from-settings.ts';
import type { Services, Started } from './server.ts';
import type { Settings } from './settings.ts';
import { shareFollowers } from './sharing.ts';

const HOUR_MS = 3_600_000;
const ERASURES_MS = 60_000;
/** How often the last use of tokens is written. */
const LAST_USES_MS = 5 * 60_000;
/** How often unknown trackers and undecodable frames are written. */
const NOTES_MS = 10_000;
/** How often the addresses of the local network are compared with the addresses of the machine. */
const NETWORK_MS = 30_000;
/** How often a node reads what admins entered for channels on another one. */
const CHANNELS_MS = 3000;
/** How often the server looks for digests, reports and escalations that are due. */
const DUE_MS = 2000;

/** Starts what a server does again and again. */
export function startTasks(started: Started, services: Services): { stop(): Promise<void> } {
  const { store, settings, policy, clocks, housekeeper, uses, growth, forgetter, values, live, log, bus } = started;
  const { notes, commands, reports, reach, erasure } = services;
  const wakeOutbox = () => bus.emit('outboxChanged');
  let isStopping = false;
  const running = [
    repeat(HOUR_MS, log, 'hourly tasks', async () => {
      if (!(await housekeeper.hold(timeNow()))) return;
      await growth.note(timeNow());
      await runHourlyTasks(store, { ...settings, kept: keptHistoryOf(settings) }, shareFollowers, log);
    }),
    repeat(HOUR_MS, log, 'months of packed positions', () => makeMonths(store, timeNow())),
    repeat(HOUR_MS, log, 'retention', () => forgetter.run(timeNow(), () => !isStopping)),
    repeat(ERASURES_MS, log, 'erasures', async () => {
      if (housekeeper.isHeld(timeNow())) await endErasures(erasure, timeNow());
    }),
    repeat(LAST_USES_MS, log, 'last use of tokens', () => uses.write(store)),
    repeat(NOTES_MS, log, 'notes on trackers', async () => {
      await notes.write(store);
      await commands.expire(timeNow());
    }),
    repeat(CHANNELS_MS, log, 'channels', () => values.follow()),
    repeat(NETWORK_MS, log, 'local network', () => reach.follow()),
    startFollowing(store, log, timeNow),
    repeat(DUE_MS, log, 'what is due', async () => {
      if (await sendDigests(store, policy, timeNow(), clocks)) wakeOutbox();
      if (await reports.sendDue(timeNow(), clocks)) wakeOutbox();
      if (await escalateDue(store, policy, timeNow())) {
        wakeOutbox();
        live.wake();
      }
      await showFenceChecks(store, clocks);
      // What is about no device has the id 0.
      if (clocks.has(0)) await eraseSentMail(store);
    }),
  ];
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running.map((task) => task.stop()));
    },
  };
}

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

/** How long a stop waits for a run in progress. */
const STOP_MS = 1500;
/** The first run comes early, because some services restart often, but not during the start. */
const FIRST_MS = 60_000;

/**
 * Runs background work periodically, never two runs at a time; a failure is logged and the next run follows as usual.
 */
export function repeat(everyMs: number, log: Log, name: string, work: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  let isStopped = false;
  const failed = failureLog(log);
  const turn = () => {
    running = running.then(work).catch((error) => {
      if (!isStopped) failed(error, `${name} failed`);
    });
  };
  const first = setTimeout(turn, Math.min(FIRST_MS, everyMs)).unref();
  const timer = setInterval(turn, everyMs).unref();
  return {
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      isStopped = true;
      // Long work is done in small steps: the remaining ones follow after the next start.
      await Promise.race([running, setTimeoutPromise(STOP_MS, undefined, { ref: false })]);
    },
  };
}
