import { distanceM, type Place } from '../../../platform/sphere.ts';
import { hasIgnitionBit, ignitionIn, MOVING_KMH } from '../../motion/motion.ts';
import {
  keep,
  type Moment,
  ruleNumber,
  type TriggerDefinition,
  type TriggerRule,
  type TriggerState,
  type Verdict,
} from '../evaluator.ts';

/**
 * A vehicle that moves with its ignition off. Readings of type `ignition` report whether it is on. For a device without
 * them, bit 32 of `alertType` does: a position with the bit means on, the next one without it means off.
 */

interface TowState extends TriggerState {
  readonly ignition: 'on' | 'off';
  readonly knownBy: 'reading' | 'alert';
  /** Since when the ignition is known to be off. */
  readonly since?: number;
  /** Its position then: the first place known at or after that time. */
  readonly parked?: Parked;
  /** A fix that is too far away, but could be wrong: the next one decides. */
  readonly suspect?: { readonly at: number; readonly pointId: number };
  /** It fired, and does not fire again until the ignition has been on. */
  readonly fired?: boolean;
}

interface Parked {
  readonly place: Place;
  readonly accuracyM: number;
}

export const tow: TriggerDefinition<TowState> = {
  evaluator: {
    onReading(rule, state, reading, lastPosition) {
      const isOn = ignitionIn(reading);
      if (isOn === undefined) return keep(state);
      if (isOn) return keep(turnedOn(rule, state, 'reading'));
      const { at } = reading;
      // An older position is not usable: the vehicle may have been driven since.
      const parked = lastPosition?.at === at ? parkedAt(lastPosition) : undefined;
      return keep(turnedOff(rule, state, 'reading', at, parked));
    },
    onFix(rule, before, moment) {
      const state = byAlert(rule, before, moment.fix);
      return state?.ignition === 'off' && !state.fired ? look(rule, state, moment) : keep(state);
    },
  },
};

const turnedOn = (rule: TriggerRule, state: TowState | undefined, knownBy: TowState['knownBy']): TowState =>
  state?.ignition === 'on' && state.knownBy === knownBy ? state : { version: rule.version, ignition: 'on', knownBy };

function turnedOff(
  rule: TriggerRule,
  state: TowState | undefined,
  knownBy: TowState['knownBy'],
  since: number,
  parked?: Parked,
): TowState {
  if (state?.ignition === 'off') return state.knownBy === knownBy ? state : { ...state, knownBy };
  return { version: rule.version, ignition: 'off', knownBy, since, ...(parked && { parked }) };
}

/** Readings take precedence over the bit, so the bit counts only until the first reading. */
function byAlert(rule: TriggerRule, state: TowState | undefined, fix: Moment['fix']): TowState | undefined {
  if (state?.knownBy === 'reading') return state;
  if (hasIgnitionBit(fix)) return turnedOn(rule, state, 'alert');
  return state?.ignition === 'on' ? turnedOff(rule, state, 'alert', fix.at) : state;
}

function look(rule: TriggerRule, state: TowState, { fix, position }: Moment): Verdict<TowState> {
  if (position === undefined || position.imprecise) return keep(state);
  const { parked } = state;
  if (parked === undefined) return keep({ ...state, parked: parkedAt(position) });
  const limit = ruleNumber(rule, 'meters')!;
  const movedM = distanceM(parked.place, position.place);
  const unsureM = parked.accuracyM + position.accuracyM;
  if (movedM <= limit + unsureM) {
    const { suspect: _, ...calm } = state;
    // A much more accurate place replaces an imprecise one, if both may be the same.
    const isBetter = movedM <= unsureM && position.accuracyM <= parked.accuracyM / 2;
    return keep(isBetter ? { ...calm, parked: parkedAt(position) } : state.suspect ? calm : state);
  }
  // A single fix of a parked vehicle may be far away. The speed of the device, or a second fix, shows that it moves.
  const isBelieved = (fix.speedKmh ?? 0) >= MOVING_KMH && position.jump === undefined;
  if (state.suspect === undefined && !isBelieved)
    return keep({ ...state, suspect: { at: fix.at, pointId: fix.pointId } });
  const { at, pointId } = state.suspect ?? fix;
  const facts = { value: movedM, limit, since: state.since, from: parked.place, place: position.place };
  return {
    state: { version: rule.version, ignition: 'off', knownBy: state.knownBy, since: state.since, fired: true },
    firings: [{ kind: 'tow', at, decidedAt: fix.at, pointId, facts }],
  };
}

const parkedAt = ({ place, accuracyM }: Parked): Parked => ({ place, accuracyM });
