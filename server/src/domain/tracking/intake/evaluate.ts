import type { Kysely } from 'kysely';
import { runLater } from '../../../platform/storage/later.ts';
import { isAnythingToSend, send } from '../../delivery/send.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import type { ToSend } from '../../delivery/subjects.ts';
import { recordFirstSeen } from '../../devices/device-events.ts';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import type { Tables } from '../../schema/tables.ts';
import { INITIAL_STATE } from '../evaluate/device-state.ts';
import { fixInputs } from '../evaluate/inputs.ts';
import type { DeviceBatch } from '../report/device-batch.ts';
import type { AppendedPosition } from '../report/position.ts';
import { advanceState, hasEffects, type StepResult, saveEffects } from '../state/apply-effects.ts';
import { budgetOf } from '../state/budget.ts';
import { notificationEvents, reportEvents } from '../state/live-events.ts';
import { hasOwnFences, saveOwnFences } from '../state/own-fences.ts';
import type { RecordedNotification } from '../state/record-notification.ts';
import type { DeviceRules, RulesReading } from '../state/rules-cache.ts';
import { stateUpdates } from '../state/save-state.ts';
import { connectionUpdates } from './last-connection.ts';

type Tx = Kysely<Tables>;

/** What follows from what was stored of a device. */
export interface Evaluated {
  readonly device: DeviceBatch;
  readonly rules: DeviceRules;
  readonly outcome: StepResult;
  notifications: readonly RecordedNotification[];
}

/** Evaluates what came in order. What came late is marked for a replay. Nothing is written. */
export async function evaluate(
  devices: readonly DeviceBatch[],
  { units, rulesFor }: { readonly units: number; readonly rulesFor: RulesReading['of'] },
): Promise<readonly Evaluated[]> {
  const evaluated: Evaluated[] = [];
  const budget = budgetOf(units);
  for (const device of smallFirst(devices)) {
    const { stateRow, deviceId } = device;
    // One fix for each instant, however many positions were reported for it.
    const fixes = fixInputs(evaluatedOf(device));
    const inputs = device.inputs.length === 0 ? fixes : [...fixes, ...device.inputs];
    const known = rulesFor(deviceId, stateRow.rulesVersion, stateRow.state.at);
    const rules = known instanceof Promise ? await known : known;
    evaluated.push({ device, rules, outcome: advanceState(stateRow, inputs, rules, budget), notifications: [] });
  }
  return evaluated;
}

/** Writes what follows, and the states of the devices. */
export async function record(
  tx: Tx,
  evaluated: readonly Evaluated[],
  policy: SendingPolicy,
  now: number,
): Promise<void> {
  for (const one of evaluated) {
    const { rules, outcome, device } = one;
    const { stateRow } = device;
    if (hasEffects(outcome))
      one.notifications = await saveEffects(tx, stateRow, outcome, {
        now,
        ...policy,
        mayBeNotified: rules.mayBeNotified,
      });
    if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, stateRow, rules);
  }
  const devices = evaluated.map(({ device }) => device);
  const reporting = devices.filter(({ hasReported }) => hasReported);
  // Only a device without a state can report for the first time.
  for (const { stateRow, deviceId } of reporting)
    if (stateRow.stored.state === INITIAL_STATE) await recordFirstSeen(tx, deviceId, now);
  const stateRows = devices.map(({ stateRow, hasReported }) => ({ stateRow, reportedAt: hasReported ? now : null }));
  await runLater(tx, [...stateUpdates(stateRows), connectionUpdates(reporting, now)]);
}

/**
 * Writes what is sent and streamed.
 * @returns the devices with outgoing data
 */
export async function sendEvaluated(
  tx: Tx,
  evaluated: readonly Evaluated[],
  policy: SendingPolicy,
  now: number,
): Promise<readonly number[]> {
  const liveEvents: LiveEvent[] = [];
  const outgoing: ToSend[] = [];
  for (const { device, rules, notifications } of evaluated) {
    const { deviceId, stateRow, messages } = device;
    const { forwarders } = rules;
    if (isAnythingToSend({ forwarders, notifications }))
      outgoing.push({
        deviceId,
        points: device.points,
        readings: readingsAbout(device, evaluated),
        messages: messages.map(({ event }) => event as object),
        forwarders,
        notifications,
      });
    if (device.hasReported) liveEvents.push(...reportEvents(deviceId, device, stateRow.state, now));
    liveEvents.push(...messages, ...notificationEvents(notifications));
  }
  await send(tx, policy, outgoing, now);
  await appendLiveEvents(tx, liveEvents, now);
  return outgoing.map(({ deviceId }) => deviceId);
}

/** Positions that are evaluated, in the order of their times: usually the received ones in the order of reception. */
function evaluatedOf({ points }: DeviceBatch): readonly AppendedPosition[] {
  if (points.length === 1 && points[0]!.judged === null) return points;
  return points.filter(({ judged }) => judged === null).sort((a, b) => a.timestamp - b.timestamp);
}

/** Devices with at least this many inputs are evaluated last, so that they do not use up the budget of the others. */
const MANY = 50;
const hasMany = ({ points, inputs }: DeviceBatch) => points.length + inputs.length >= MANY;

const smallFirst = (devices: readonly DeviceBatch[]) =>
  devices.some(hasMany) ? [...devices.filter((device) => !hasMany(device)), ...devices.filter(hasMany)] : devices;

/** What gateways reported of a device is its own too. */
function readingsAbout(device: DeviceBatch, all: readonly Evaluated[]): DeviceBatch['readings'] {
  const readings = [...device.readings];
  for (const { device: other } of all)
    if (other !== device && other.readings.length > 0)
      readings.push(...other.readings.filter((reading) => reading.deviceId === device.deviceId));
  return readings;
}
