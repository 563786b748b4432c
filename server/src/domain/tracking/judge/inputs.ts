import type { Place } from '../../../platform/sphere.ts';
import type { Fix } from '../../fix.ts';
import type { FenceRule } from '../../geofences/membership.ts';
import type { Reading, TriggerRule } from '../../triggers/evaluator.ts';

/** What drives the state of a device: its reports in fix time, and the clock where nothing is reported. */
export type Input =
  | { readonly kind: 'fix'; readonly at: number; readonly fix: Fix }
  | { readonly kind: 'reading'; readonly at: number; readonly reading: Reading }
  | { readonly kind: 'message'; readonly at: number; readonly id: number }
  | { readonly kind: 'clock'; readonly at: number };

/** The rules in force at a moment, for one device. */
export interface Rules {
  /** The fences that may matter to a place: all that contain it or have an edge within the radius. */
  fencesNear(at: number, place: Place, radiusM: number): Iterable<FenceRule>;
  fence(at: number, fenceId: number): FenceRule | undefined;
  /** When a fence last got the shape it has; absent where they have had it since ever. */
  readonly newestShapeAt?: number;
  /** The fences that are for this one device. */
  bound?(at: number): readonly FenceRule[];
  triggers(at: number): readonly TriggerRule[];
}

const ID_DIGITS = 16;
const RANK = { fix: '1', reading: '2', message: '3', clock: '4' } as const;

/** Distinguishes inputs of one time by their content, not by their reception. */
export function orderOf(input: Input): string {
  switch (input.kind) {
    case 'reading':
      return `${RANK.reading} ${input.reading.type} ${JSON.stringify(input.reading.value)}`;
    case 'message':
      // The time of a message is that of its arrival, so the order of arrival is the order of the messages.
      return `${RANK.message} ${String(input.id).padStart(ID_DIGITS, '0')}`;
    default:
      return RANK[input.kind];
  }
}

/** The order of judging inputs, independent of the order of reception. */
export function inOrder(a: Input, b: Input): number {
  if (a.at !== b.at) return a.at - b.at;
  const [first, second] = [orderOf(a), orderOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Whether an input comes after everything that the state has seen. */
export const isNext = (state: { at: number; order: string }, input: Input) =>
  input.at > state.at || (input.at === state.at && orderOf(input) > state.order);

/** Whether what a state has seen last was the clock. */
export const wasClock = ({ order }: { order: string }) => order === RANK.clock;
