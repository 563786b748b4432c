import type { Kysely } from 'kysely';
import type { Engine } from '../../../platform/storage/database.ts';
import { runAll } from '../../../platform/storage/each-row.ts';
import { type Telling, tell } from '../../live/tell.ts';
import type { Tables } from '../../schema/tables.ts';
import { isOutgoing, type Outgoing, postOutgoing } from '../../sending/send.ts';
import { fixInputs } from '../judge/to-fix.ts';
import { advanceLine, hasEffects, hasOwnZones, keepEffects, noteZones } from '../state/apply-effects.ts';
import { speakingRows } from '../state/device-state-row.ts';
import { notificationTellings, reportTellings } from '../state/live-events.ts';
import type { RuleShelf } from '../state/rules-cache.ts';
import type { DeviceWork } from './device-batch.ts';
import { heardRows } from './last-connection.ts';

/**
 * Judges what came in order, and keeps and tells all that follows. What came late is marked, for a replay.
 * @returns whether anything of it leaves the house
 */
export async function judgeReports(
  tx: Kysely<Tables>,
  engine: Engine,
  shelf: RuleShelf,
  works: readonly DeviceWork[],
  now: number,
): Promise<boolean> {
  const tellings: Telling[] = [];
  const leaving: Outgoing[] = [];
  const rulesFor = shelf.reading(now);
  for (const work of works) {
    const { line, deviceId, points, messages } = work;
    // One fix for each instant, however many reports speak of it.
    const judged = points.filter((point) => point.judged === null).sort((a, b) => a.timestamp - b.timestamp);
    const inputs = [...fixInputs(judged), ...work.inputs];
    const rules = await rulesFor(deviceId, line.rules);
    const outcome = advanceLine(line, inputs, rules);
    const notifications = hasEffects(outcome) ? await keepEffects(tx, line, outcome, { now, ...shelf.house }) : [];
    if (hasOwnZones(line, rules)) await noteZones(tx, line, rules);
    const rest = { forwarders: rules.forwarders, notifications };
    if (isOutgoing(rest)) leaving.push(outgoingOf(work, works, rest));
    if (work.isHeard) tellings.push(...reportTellings(deviceId, work, line.state, now));
    tellings.push(...messages, ...notificationTellings(notifications));
  }
  const heard = works.filter(({ isHeard }) => isHeard);
  const spoken = works.map(({ line, isHeard }) => ({ line, heardAt: isHeard ? now : null }));
  await runAll(tx, engine, [...speakingRows(spoken), heardRows(heard, now)]);
  await postOutgoing(tx, engine, shelf.house, leaving, now);
  await tell(tx, engine, tellings, now);
  return leaving.length > 0;
}

/** What of a device's work may leave the house; what others heard of it is its own too. */
function outgoingOf(
  work: DeviceWork,
  works: readonly DeviceWork[],
  rest: Pick<Outgoing, 'forwarders' | 'notifications'>,
): Outgoing {
  const { deviceId, points, messages } = work;
  const readings = [...work.readings];
  for (const other of works)
    if (other !== work && other.readings.length > 0)
      readings.push(...other.readings.filter((reading) => reading.deviceId === deviceId));
  return { deviceId, points, readings, messages: messages.map(({ event }) => event as object), ...rest };
}
