import { areaOf, type Shape, signedDistanceM } from '../domain/geofences/area.ts';
import { ENTER_CONFIDENCE, EXIT_CONFIDENCE } from '../domain/geofences/confidence.ts';
import { PackedVersions } from '../domain/geofences/packed-versions.ts';
import { UserFences } from '../domain/geofences/user-fences.ts';
import { advance, dueOf } from '../domain/tracking/evaluate/advance.ts';
import { type DeviceState, INITIAL_STATE } from '../domain/tracking/evaluate/device-state.ts';
import { fixInputs, type Rules } from '../domain/tracking/evaluate/inputs.ts';
import { normalizePoint } from '../domain/tracking/report/normalize.ts';
import { rulesOf } from '../domain/tracking/state/rules-cache.ts';
import type { Place } from '../platform/sphere.ts';
import type { ReportedPoint } from '../reports.ts';

/** Evaluates fixes without a store or server: for benches of the rules alone. */

export interface EvaluatedCrossing {
  /** The index of the fence in the list. */
  readonly fence: number;
  readonly kind: 'entry' | 'exit';
  readonly at: number;
  readonly decidedAt: number;
  /** The crossing was between two fixes that were both outside. */
  readonly interpolated: boolean;
}

const DEVICE_ID = 1;

/** Fences with their default thresholds. */
export function fenceRules(fences: readonly Shape[]): Rules {
  const versions = new PackedVersions(1);
  for (const [index, shape] of fences.entries())
    versions.add({
      fenceId: index,
      version: index,
      shapedAt: 0,
      userId: 1,
      name: null,
      foreignId: null,
      group: null,
      shape,
      enter: ENTER_CONFIDENCE,
      exit: EXIT_CONFIDENCE,
      enterAfterMs: 0,
      exitAfterMs: 0,
      deviceId: null,
      validFrom: 0,
      validTo: Number.POSITIVE_INFINITY,
    });
  return rulesOf(DEVICE_ID, [], [new UserFences(1, versions)]);
}

/** Evaluates the points of one device, in the order of their times. */
export class TrackEvaluator {
  readonly #rules: Rules;
  #state: DeviceState = INITIAL_STATE;
  #points = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  take(point: ReportedPoint & { readonly timestamp: number }): EvaluatedCrossing[] {
    const position = normalizePoint(point, point.timestamp);
    if (typeof position === 'string') throw new Error(`The position is quarantined: ${position}`);
    const [input] = fixInputs([{ ...position, id: ++this.#points }]);
    const { state, effects } = advance(this.#state, input!, this.#rules);
    this.#state = state;
    return effects.crossings.map(({ rule, type, at, decidedAt, interpolated }) => ({
      fence: rule.fenceId,
      kind: type,
      at,
      decidedAt,
      interpolated,
    }));
  }

  /** The next time when the clock alone would change the state. */
  get due(): number | undefined {
    return dueOf(this.#state);
  }
}

/** Metres to the edge, negative inside. */
export function edgeDistance(fence: Shape): (place: Place) => number {
  const area = areaOf(fence)!;
  return (place) => signedDistanceM(area, place);
}
