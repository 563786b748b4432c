import { distanceM } from '../../../platform/sphere.ts';
import type { Located } from '../../fix.ts';
import type { DeviceState } from './device-state.ts';

/** Faster than this nothing that is tracked moves. */
const MAX_MS = 1200 / 3.6;
/** This many fixes that agree with each other are believed, however far they are from the last known place. */
const BELIEVED = 3;

type Plausibility = 'plausible' | 'implausible' | 'elsewhere';

/** Whether a device can be where a fix has it. `elsewhere`: it can't have got there, but it insists. */
export function plausibility(
  state: Pick<DeviceState, 'motion' | 'jump'>,
  fix: Located,
): { verdict: Plausibility; jump?: DeviceState['jump'] } {
  const last = state.motion?.last;
  if (last === undefined || reachable(last, fix)) return { verdict: 'plausible' };
  const agrees = state.jump !== undefined && reachable(state.jump, fix);
  const count = agrees ? state.jump!.count + 1 : 1;
  if (count >= BELIEVED) return { verdict: 'elsewhere' };
  const { at, place, accuracyM } = fix;
  return { verdict: 'implausible', jump: { at, place, accuracyM, count } };
}

function reachable(from: { at: number; place: Located['place']; accuracyM: number }, to: Located): boolean {
  const seconds = Math.max(1, (to.at - from.at) / 1000);
  return distanceM(from.place, to.place) - 2 * (from.accuracyM + to.accuracyM) <= MAX_MS * seconds;
}
