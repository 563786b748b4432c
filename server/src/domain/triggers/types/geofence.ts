import type { Crossing } from '../../geofences/membership.ts';
import { type Firing, type FiringContent, lastedFor, type TriggerDefinition, type TriggerRule } from '../evaluator.ts';

/** A device enters or leaves a geofence. */

type Crossed = Crossing['type'];
const CROSSINGS: Readonly<Record<string, readonly Crossed[]>> = {
  inside: ['entry'],
  outside: ['exit'],
  cross: ['entry', 'exit'],
};
const zoneTypeOf = ({ parameters }: TriggerRule) => (parameters.zoneType as string | null | undefined) ?? 'cross';

const crossing = (
  wanted: (rule: TriggerRule) => readonly Crossed[],
  subtype: (rule: TriggerRule) => string,
): TriggerDefinition => ({
  evaluator: {
    onCrossings: (rule, state, crossings) => ({
      state,
      firings: crossings
        .filter((crossing) => wanted(rule).includes(crossing.type) && concerns(rule, crossing))
        .map(firingOf),
    }),
  },
  reported: (firing) => lastedFor(dwellOf(firing)),
  subtype,
});

export const geofence = crossing((rule) => CROSSINGS[zoneTypeOf(rule)]!, zoneTypeOf);
export const geoEntry = crossing(
  () => ['entry'],
  () => 'entry',
);

/** Seconds since the crossing. For a crossing between two fixes only its time is known, not what followed. */
function dwellOf({ kind, facts }: Pick<FiringContent, 'kind' | 'facts'>): number {
  const { enterAfter, exitAfter } = facts.thresholds as { enterAfter: number; exitAfter: number };
  return facts.interpolated ? 0 : kind === 'entry' ? enterAfter : exitAfter;
}

/** A trigger concerns fences of its own user: one of them, a group, or all. */
function concerns({ userId, parameters }: TriggerRule, { rule }: Crossing): boolean {
  if (rule.userId !== userId) return false;
  if (parameters.zoneId !== undefined && parameters.zoneId !== null) return rule.fenceId === parameters.zoneId;
  if (parameters.zoneGroup) return rule.group === parameters.zoneGroup;
  return true;
}

/** `confidence` is the probability that the device was inside; this is the probability that the crossing happened. */
function eventConfidence({ type, confidence, interpolated }: Crossing): number {
  // Both crossings of a passage depend on the device having been inside.
  return type === 'exit' && !interpolated ? 1 - confidence : confidence;
}

function firingOf(crossing: Crossing): Omit<Firing, 'rule'> {
  const { rule, type, at, decidedAt, confidence, interpolated, evidence } = crossing;
  return {
    zoneId: rule.fenceId,
    kind: type,
    at,
    decidedAt,
    pointId: evidence.at(-1)!.pointId,
    facts: {
      crossType: type,
      zone: { id: rule.fenceId, name: rule.name, foreignId: rule.foreignId },
      confidence,
      eventConfidence: eventConfidence(crossing),
      interpolated,
      evidence,
      thresholds: {
        enter: rule.enter,
        exit: rule.exit,
        enterAfter: rule.enterAfterMs / 1000,
        exitAfter: rule.exitAfterMs / 1000,
      },
      fenceVersion: rule.version,
    },
  };
}
