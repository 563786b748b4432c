import type { Place } from '../../../platform/sphere.ts';
import type { Located } from '../../fix.ts';
import { isMoving, type LastSeen, type Motion } from '../../motion/motion.ts';
import { isImprecise, type Jump, observationOf } from '../../motion/outlier.ts';
import { restAccuracyM } from '../../motion/rest.ts';

/** The position at which a device is judged, and how reliable it is. */
export interface EffectivePosition {
  readonly place: Place;
  readonly accuracyM: number;
  readonly stopped: boolean;
  /** Set if the fix is farther from the previous one than their speeds explain. */
  readonly jump?: Jump;
  /** The previous fix tells more about where the device is. */
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

/** The last fix, at the position at which the device was judged. */
export const lastEffectivePosition = (motion: Motion): LastSeen => ({
  ...motion.last,
  ...spotOf(motion, motion.last, !isMoving(motion)),
});

/**
 * The position of the fix, or the mean of the rest. A stop begins with its first fix but is recognized only three
 * minutes later; its mean is used from the second fix on, so that the device does not flap at an edge in those minutes.
 */
function spotOf({ rest }: Motion, { place, accuracyM }: Pick<LastSeen, 'place' | 'accuracyM'>, stopped: boolean) {
  return stopped || rest.count > 1 ? { place: rest.mean, accuracyM: restAccuracyM(rest) } : { place, accuracyM };
}
