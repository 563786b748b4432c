import { areaOf } from '../domain/geofences/area.ts';
import type { FenceRule } from '../domain/geofences/membership.ts';
import { advance, type Effects, noEffects } from '../domain/tracking/evaluate/advance.ts';
import { type DeviceState, INITIAL_STATE } from '../domain/tracking/evaluate/device-state.ts';
import type { Input, Rules } from '../domain/tracking/evaluate/inputs.ts';
import type { TriggerRule } from '../domain/triggers/evaluator.ts';

/** Inputs of one device and the rules they are evaluated by, without a store. Minutes count from a Monday morning. */

export const T0 = Date.parse('2026-06-01T08:00:00.000Z');
export const MINUTE = 60_000;
const METRE_DEG = 1 / 111_195;

/** A circle of 100 m around the origin of the metres of `fixAt`. */
export const depot = (more: Partial<FenceRule> = {}): FenceRule => ({
  fenceId: 1,
  version: 1,
  shapedAt: 0,
  userId: 1,
  name: 'Depot',
  foreignId: null,
  group: null,
  area: areaOf({ outline: null, center: { lat: 0, lng: 0 }, radius: 100 })!,
  enter: 0.7,
  exit: 0.3,
  enterAfterMs: 0,
  exitAfterMs: 0,
  ...more,
});

export const triggerRule = (type: TriggerRule['type'], parameters: Record<string, unknown> = {}): TriggerRule => ({
  triggerId: 1,
  version: 1,
  userId: 1,
  name: type,
  type,
  parameters,
});

export const rulesOf = (fences: readonly FenceRule[], triggers: readonly TriggerRule[]): Rules => ({
  fencesNear: () => fences,
  fence: (_at, id) => fences.find(({ fenceId }) => fenceId === id),
  triggers: () => triggers,
});

const timeOf = (minute: number) => T0 + minute * MINUTE;
let ids = 0;

export function fixAt(minute: number, metresNorth: number, more: Record<string, unknown> = {}): Input {
  const at = timeOf(minute);
  const place = { lat: metresNorth * METRE_DEG, lng: 0 };
  return { kind: 'fix', at, fix: { at, pointId: ++ids, place, accuracyM: 5, alerts: 0, ...more } };
}

export function readingAt(minute: number, type: string, value: unknown): Input {
  const at = timeOf(minute);
  return { kind: 'reading', at, reading: { at, id: ++ids, type, value } };
}

export const messageAt = (minute: number): Input => ({ kind: 'message', at: timeOf(minute), id: ++ids });
export const clockAt = (minute: number): Input => ({ kind: 'clock', at: timeOf(minute) });

/** Evaluates inputs in the given order. */
export function evaluateAll(inputs: readonly Input[], rules: Rules): { state: DeviceState; effects: Effects } {
  let state = INITIAL_STATE;
  const effects = noEffects();
  for (const input of inputs) state = advance(state, input, rules, effects).state;
  return { state, effects };
}

/** "exit 1": what fired, and its minute. */
export const firedIn = ({ firings }: Effects) => firings.map(({ kind, at }) => `${kind} ${(at - T0) / MINUTE}`);
