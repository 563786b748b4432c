import type { ShareFollowers } from '../domain/devices/grants.ts';
import type { TrackerNotes } from '../domain/devices/trackers/tracker-notes.ts';
import type { trackerCommands } from '../domain/messages/tracker-commands.ts';
import { type ErasureParts, endErasures } from '../domain/persons/erase.ts';
import { makeMonths } from '../domain/positions/segment-months.ts';
import type { reportSender } from '../domain/reports/saved/send-report.ts';
import type { Forgetter } from '../domain/retention/forget-history.ts';
import { startFollowing } from '../domain/rules/follow-rules.ts';
import type { installationLease } from '../domain/schema/installation-lease.ts';
import type { Store } from '../domain/schema/tables.ts';
import { sendDigests } from '../domain/sending/people/digests.ts';
import type { SendingPolicy } from '../domain/sending/sending-policy.ts';
import type { GrowthWatch } from '../domain/service/growth.ts';
import type { slotClocks } from '../domain/service/nodes/slot-clocks.ts';
import { showFenceChecks } from '../domain/tracking/state/own-fences.ts';
import { escalateDue } from '../domain/tracking/timers/escalate.ts';
import type { LastUses } from '../domain/users/last-uses.ts';
import { eraseSentMail } from '../domain/users/mail-links/erase-sent.ts';
import { keepHouse } from '../housekeeping.ts';
import { timeNow } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { repeat } from '../platform/repeat.ts';
import type { Settings } from '../settings.ts';
import { keptHistoryOf } from './from-settings.ts';

const HOUR_MS = 3_600_000;
const ERASURES_MS = 60_000;
/** How often the last use of tokens is written. */
const LAST_USES_MS = 5 * 60_000;
/** How often it is written who knocked and what could not be read. */
const NOTES_MS = 10_000;
/** How often the server looks for digests, reports and escalations that are due. */
const DUE_MS = 2000;

interface ChoreParts {
  readonly store: Store;
  readonly settings: Settings;
  readonly policy: SendingPolicy;
  readonly clocks: ReturnType<typeof slotClocks>;
  /** Whoever holds it keeps house. */
  readonly housekeeper: ReturnType<typeof installationLease>;
  readonly erasure: ErasureParts;
  readonly uses: LastUses;
  readonly notes: TrackerNotes;
  readonly commands: ReturnType<typeof trackerCommands>;
  readonly reports: ReturnType<typeof reportSender>;
  readonly shareFollowers: ShareFollowers;
  readonly forgetter: Forgetter;
  readonly growth: GrowthWatch;
  readonly log: Log;
  readonly wakeOutbox: () => void;
  readonly wakeLive: () => void;
}

/** Starts what a server does again and again. */
export function startChores(parts: ChoreParts): { stop(): Promise<void> } {
  const { store, settings, policy, clocks, housekeeper, uses, notes, log, wakeOutbox } = parts;
  let isStopping = false;
  const running = [
    repeat(HOUR_MS, log, 'housekeeping', async () => {
      if (!(await housekeeper.hold(timeNow()))) return;
      await parts.growth.note(timeNow());
      await keepHouse(store, { ...settings, kept: keptHistoryOf(settings) }, parts.shareFollowers, log);
    }),
    // Whoever keeps house may be at a worker of Citus, where they cannot be made.
    repeat(HOUR_MS, log, 'months of packed positions', () => makeMonths(store, timeNow())),
    repeat(HOUR_MS, log, 'retention', () => parts.forgetter.run(timeNow(), () => !isStopping)),
    repeat(ERASURES_MS, log, 'erasures', async () => {
      if (housekeeper.isHeld(timeNow())) await endErasures(parts.erasure, timeNow());
    }),
    repeat(LAST_USES_MS, log, 'last use of tokens', () => uses.write(store)),
    repeat(NOTES_MS, log, 'notes on trackers', async () => {
      await notes.write(store);
      await parts.commands.expire(timeNow());
    }),
    startFollowing(store, log, timeNow),
    repeat(DUE_MS, log, 'what is due', async () => {
      if (await sendDigests(store, policy, timeNow(), clocks)) wakeOutbox();
      if (await parts.reports.sendDue(timeNow(), clocks)) wakeOutbox();
      if (await escalateDue(store, policy, timeNow())) {
        wakeOutbox();
        parts.wakeLive();
      }
      await showFenceChecks(store, clocks);
      // What is about no device has the slot 0.
      if (clocks.has(0)) await eraseSentMail(store);
    }),
  ];
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running.map((chore) => chore.stop()));
    },
  };
}
