import type { Kysely } from 'kysely';
import { runLater } from '../../../platform/storage/later.ts';
import { recordFirstSeen } from '../../devices/device-events.ts';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import type { Tables } from '../../schema/tables.ts';
import type { PostingStore } from '../../sending/outgoing/stage.ts';
import { isAnythingToSend, send } from '../../sending/send.ts';
import type { ToSend } from '../../sending/to-send.ts';
import { UNHEARD } from '../judge/device-state.ts';
import { fixInputs } from '../judge/to-fix.ts';
import { advanceState, hasEffects, saveEffects } from '../state/apply-effects.ts';
import { budgetOf } from '../state/budget.ts';
import { notificationEvents, reportEvents } from '../state/live-events.ts';
import { hasOwnFences, saveOwnFences } from '../state/own-fences.ts';
import type { RulesCache, RulesReading } from '../state/rules-cache.ts';
import { stateUpdates } from '../state/save-state.ts';
import { type AppendedPoint, storedCells } from './append-rows.ts';
import type { DeviceBatch } from './device-batch.ts';
import { connectionUpdates } from './last-connection.ts';
import { packImported } from './pack-imported.ts';

/**
 * Judges what came in order, and stores, sends and streams what follows. What came late is marked for a replay.
 * @returns the devices of which anything must be sent
 */
export async function judgeBatch(
  tx: Kysely<Tables>,
  store: PostingStore,
  { policy }: RulesCache,
  devices: readonly DeviceBatch[],
  { now, units, rulesFor }: { readonly now: number; readonly units: number; readonly rulesFor: RulesReading['of'] },
): Promise<readonly number[]> {
  const { storeKind } = store;
  const liveEvents: LiveEvent[] = [];
  const outgoing: ToSend[] = [];
  const budget = budgetOf(units);
  for (const device of smallFirst(devices)) {
    const { stateRow, deviceId, imported, messages } = device;
    // One fix for each instant, however many positions were reported for it.
    const fixes = fixInputs(judgedOf(device));
    const inputs = device.inputs.length === 0 ? fixes : [...fixes, ...device.inputs];
    const known = rulesFor(deviceId, stateRow.rules);
    const rules = known instanceof Promise ? await known : known;
    let outcome = advanceState(stateRow, inputs, rules, budget, imported.length > 0);
    if (device.toPack.length > 0) {
      const implausible = await packImported(tx, storeKind, device, outcome.effects.implausible);
      outcome = { ...outcome, effects: { ...outcome.effects, implausible } };
    }
    const notifications = hasEffects(outcome)
      ? await saveEffects(tx, storeKind, stateRow, outcome, { now, ...policy, mayBeTold: rules.mayBeTold })
      : [];
    if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, store, stateRow, rules);
    const rest = { forwarders: rules.forwarders, notifications };
    const isImportAlone = imported.length > 0 && !device.hasReported && notifications.length === 0;
    if (!isImportAlone && isAnythingToSend(rest)) outgoing.push(outgoingOf(device, devices, rest));
    if (device.hasReported) liveEvents.push(...reportEvents(deviceId, device, stateRow.state, now));
    liveEvents.push(...messages, ...notificationEvents(notifications));
  }
  const reporting = devices.filter(({ hasReported }) => hasReported);
  // Only a device of which nothing is known can report for the first time.
  for (const { stateRow, deviceId } of reporting)
    if (stateRow.stored.state === UNHEARD) await recordFirstSeen(tx, deviceId, now);
  const stateRows = devices.map(({ stateRow, hasReported }) => ({ stateRow, heardAt: hasReported ? now : null }));
  await runLater(tx, storeKind, [...stateUpdates(stateRows), connectionUpdates(reporting, now)]);
  await send(tx, store, policy, outgoing, now);
  await appendLiveEvents(tx, storeKind, liveEvents, now);
  return outgoing.map(({ deviceId }) => deviceId);
}

/** Positions that are judged, in the order of their times: mostly those that came, as they came. */
function judgedOf({ points, imported }: DeviceBatch): readonly AppendedPoint[] {
  const [only] = points;
  if (points.length === 1 && imported.length === 0 && only!.judged === null) return points;
  return [...points, ...imported].filter((point) => point.judged === null).sort((a, b) => a.timestamp - b.timestamp);
}

/** From this many inputs on a device is judged after the others, which then are not cut for its sake. */
const MANY = 50;
const hasMany = ({ points, imported, inputs }: DeviceBatch) => points.length + imported.length + inputs.length >= MANY;

const smallFirst = (devices: readonly DeviceBatch[]) =>
  devices.some(hasMany) ? [...devices.filter((device) => !hasMany(device)), ...devices.filter(hasMany)] : devices;

/** What of a device may be sent; what gateways reported of it is its own too. */
function outgoingOf(
  device: DeviceBatch,
  devices: readonly DeviceBatch[],
  rest: Pick<ToSend, 'forwarders' | 'notifications'>,
): ToSend {
  const { deviceId, points, messages } = device;
  const readings = [...device.readings];
  for (const other of devices)
    if (other !== device && other.readings.length > 0)
      readings.push(...other.readings.filter((reading) => reading.deviceId === deviceId));
  return {
    deviceId,
    points: points.map(storedCells),
    readings,
    messages: messages.map(({ event }) => event as object),
    ...rest,
  };
}
