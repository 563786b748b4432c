import { sendDigests } from '../domain/delivery/digests.ts';
import { endErasures } from '../domain/history/erase.ts';
import { makeMonths } from '../domain/positions/segment-months.ts';
import { showFenceChecks } from '../domain/tracking/state/own-fences.ts';
import { escalateDue } from '../domain/tracking/timers/escalate.ts';
import { startFollowing } from '../domain/triggers/follow-rules.ts';
import { eraseSentMail } from '../domain/users/mailings.ts';
import { timeNow } from '../platform/clock.ts';
import { repeat } from '../platform/repeat.ts';
import { keptHistoryOf } from './from-settings.ts';
import { runHourlyTasks } from './housekeeping.ts';
import type { Services, Started } from './server.ts';
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
    repeat(HOUR_MS, log, 'housekeeping', async () => {
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
