import type { Place } from '../../../platform/sphere.ts';
import type { Located } from '../../fix.ts';
import { isMoving, type LastSeen, type Motion } from '../../motion/motion.ts';
import { isImprecise, type Jump, observationOf } from '../../motion/outlier.ts';
import { restAccuracyM } from '../../motion/rest.ts';

/** Where a device counts as being, and how far that may be believed. */
export interface EffectivePosition {
  readonly place: Place;
  readonly accuracyM: number;
  readonly stopped: boolean;
  /** Farther from the fix before than their speeds explain. */
  readonly jump?: Jump;
  /** The fix before tells more about where it is. */
  readonly imprecise: boolean;
}

export function effectivePosition(before: Motion | undefined, after: Motion, fix: Located): EffectivePosition {
  const stopped = !isMoving(after);
  const spot = spotOf(after, fix, stopped);
  const last = before?.last;
  const from = after.last.jumpedFrom;
  return {
    ...spot,
    stopped,
    imprecise: last !== undefined && isImprecise(last, { ...fix, ...spot }),
    ...(from && { jump: { from, to: observationOf(after.last) } }),
  };
}

/** What was last known of it, at the place where it counted as being. */
export const lastEffectivePosition = (motion: Motion): LastSeen => ({
  ...motion.last,
  ...spotOf(motion, motion.last, !isMoving(motion)),
});

/**
 * At its fix, or where it rests. A stop begins with its first fix and is known to be one three minutes later; its mean
 * serves from the second fix on, so that a device does not flap at an edge in the minutes before.
 */
function spotOf({ rest }: Motion, { place, accuracyM }: Pick<LastSeen, 'place' | 'accuracyM'>, stopped: boolean) {
  return stopped || rest.count > 1 ? { place: rest.mean, accuracyM: restAccuracyM(rest) } : { place, accuracyM };
}
