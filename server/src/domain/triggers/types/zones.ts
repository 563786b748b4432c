import type { Crossing } from '../../geofences/rule/membership.ts';
import type { Evaluator, Firing, keep, TriggerRule } from '../evaluator.ts';

/** Triggers that fire when a device crosses the edge of a zone. */

export const geofence: Evaluator = {
  onFix(rule, state, { crossings }) {
    const zoneType = (rule.parameters.zoneType as string | undefined) ?? 'cross';
    const wanted = zoneType === 'inside' ? ['entry'] : zoneType === 'outside' ? ['exit'] : ['entry', 'exit'];
    return firings(
      rule,
      state,
      crossings.filter(({ type }) => wanted.includes(type)),
    );
  },
};

export const geoEntry: Evaluator = {
  onFix: (rule, state, { crossings }) =>
    firings(
      rule,
      state,
      crossings.filter(({ type }) => type === 'entry'),
    ),
};

function firings(rule: TriggerRule, state: Parameters<typeof keep>[0], crossings: readonly Crossing[]) {
  return { state, firings: crossings.filter((crossing) => means(rule, crossing)).map(firingOf) };
}

/** A trigger means the fences of the user it tells: one of them, a group, or all. */
function means({ userId, parameters }: TriggerRule, { rule }: Crossing): boolean {
  if (rule.userId !== userId) return false;
  if (parameters.zoneId !== undefined && parameters.zoneId !== null) return rule.fenceId === parameters.zoneId;
  if (parameters.zoneGroup) return rule.group === parameters.zoneGroup;
  return true;
}

function firingOf({ rule, type, at, decidedAt, confidence, interpolated, evidence }: Crossing): Omit<Firing, 'rule'> {
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
