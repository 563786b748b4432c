import type { Crossing } from '../../geofences/rule/membership.ts';
import type { Firing, FiringContent, TriggerDefinition, TriggerRule } from '../evaluator.ts';
import { lastedFor, lasting } from '../wording.ts';

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
  sentence,
  told: (firing) => lastedFor(dwellOf(firing)),
  subtype,
});

export const geofence = crossing((rule) => CROSSINGS[zoneTypeOf(rule)]!, zoneTypeOf);
export const geoEntry = crossing(
  () => ['entry'],
  () => 'entry',
);

function sentence(device: string, { kind, facts }: FiringContent): string {
  const zone = (facts.zone as { name: string | null }).name ?? 'a geofence';
  const isEntry = kind === 'entry';
  const dwell = dwellOf({ kind, facts });
  if (dwell > 0) return `${device} has been ${isEntry ? 'inside' : 'outside'} ${zone} for ${lasting(dwell)}`;
  return `${device} ${isEntry ? 'entered' : 'left'} ${zone}`;
}

/** Seconds that it had been there. Of a crossing between two fixes only the moment is known, not what came after it. */
function dwellOf({ kind, facts }: Pick<FiringContent, 'kind' | 'facts'>): number {
  const { enterAfter, exitAfter } = facts.thresholds as { enterAfter: number; exitAfter: number };
  return facts.interpolated ? 0 : kind === 'entry' ? enterAfter : exitAfter;
}

/** A trigger is about the fences of its own user: one of them, a group, or all. */
function concerns({ userId, parameters }: TriggerRule, { rule }: Crossing): boolean {
  if (rule.userId !== userId) return false;
  if (parameters.zoneId !== undefined && parameters.zoneId !== null) return rule.fenceId === parameters.zoneId;
  if (parameters.zoneGroup) return rule.group === parameters.zoneGroup;
  return true;
}

/** `confidence` says how sure it is that the device was inside; this, how sure it is that the crossing happened. */
function eventConfidence({ type, confidence, interpolated }: Crossing): number {
  // Both crossings of a way through a fence rest on the device having been inside.
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
