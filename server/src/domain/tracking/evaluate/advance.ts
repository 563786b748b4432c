import { distanceM } from '../../../platform/sphere.ts';
import { type Fix, isLocated, type Located } from '../../fix.ts';
import {
  type Crossing,
  confirm,
  effectivePosition,
  evaluate,
  type FencePosition,
  type FenceRule,
  lastEffectivePosition,
  type Membership,
} from '../../geofences/membership.ts';
import {
  begin,
  type Ignition,
  type IgnitionChange,
  ignitionByFix,
  ignitionByReading,
  isMoving,
  type Motion,
  type Moved,
  motionDue,
  move,
  type Stop,
  silence,
  type Trip,
} from '../../motion/motion.ts';
import type {
  Evaluator,
  Firing,
  LastPosition,
  MotionChange,
  Reading,
  TriggerRule,
  TriggerState,
  Verdict,
} from '../../triggers/evaluator.ts';
import { TRIGGERS } from '../../triggers/registry.ts';
import { type DeviceState, earliestDue, idsOf, plausibility, without, withValue } from './device-state.ts';
import { type Input, orderOf, type Rules } from './inputs.ts';

/** The effects of one input. Each has `decidedAt`: the input, or the moment of the clock, that decided it. */
export interface Effects {
  readonly firings: Firing[];
  readonly crossings: Crossing[];
  readonly trips: (Trip & { decidedAt: number })[];
  readonly stops: (Stop & { decidedAt: number })[];
  readonly ignition: IgnitionChange[];
  /** Fixes that cannot be true: they are stored and marked, and decide nothing. */
  readonly implausible: number[];
  /** How often a trigger or a fence was asked: what it took to find out. */
  asked: number;
}

/** A way through a fence with no fix inside is looked for only between fixes within this time. */
const PASSING_MS = 600_000;
/** A fence farther away than this many times the accuracy is not looked at. */
const REACH = 4;

export const noEffects = (): Effects => ({
  firings: [],
  crossings: [],
  trips: [],
  stops: [],
  ignition: [],
  implausible: [],
  asked: 0,
});

/**
 * One step of a device: pure, in fix time. What was due before the input happens first.
 * @param effects of the previous steps; the effects of this one are added
 */
export function advance(
  state: DeviceState,
  input: Input,
  rules: Rules,
  effects = noEffects(),
): { state: DeviceState; effects: Effects } {
  const run = new Step(state, rules, effects);
  run.wind(input.kind === 'clock' ? input.at : input.at - 1);
  switch (input.kind) {
    case 'fix':
      run.fix(input.fix);
      break;
    case 'reading':
      run.reading(input.reading);
      break;
    case 'message':
      run.message(input);
      break;
  }
  if (input.kind !== 'clock') run.settle(input);
  return { state: run.state(), effects: run.effects };
}

/** When the clock alone will change something next. */
export function dueOf({
  motion,
  fences,
  triggers,
}: Pick<DeviceState, 'motion' | 'fences' | 'triggers'>): number | undefined {
  const due = Math.min(motionDue(motion) ?? Number.POSITIVE_INFINITY, earliestDue(fences), earliestDue(triggers));
  return due === Number.POSITIVE_INFINITY ? undefined : due;
}

/** The state while one input is processed; it is not visible outside. */
class Step {
  readonly effects: Effects;
  readonly #rules: Rules;
  #at: number;
  #order: string;
  #motion: Motion | undefined;
  #ignition: Ignition | undefined;
  #jump: DeviceState['jump'];
  #decidedAt: number | undefined;
  #fences: DeviceState['fences'];
  #triggers: DeviceState['triggers'];
  #day: DeviceState['day'];

  constructor(state: DeviceState, rules: Rules, effects: Effects) {
    this.effects = effects;
    this.#rules = rules;
    this.#at = state.at;
    this.#order = state.order;
    this.#motion = state.motion;
    this.#ignition = state.ignition;
    this.#jump = state.jump;
    this.#decidedAt = state.decidedAt;
    this.#fences = state.fences;
    this.#triggers = state.triggers;
    this.#day = state.day;
  }

  state(): DeviceState {
    const state: { -readonly [K in keyof DeviceState]: DeviceState[K] } = {
      at: this.#at,
      order: this.#order,
      fences: this.#fences,
      triggers: this.#triggers,
      day: this.#day,
    };
    if (this.#motion) state.motion = this.#motion;
    if (this.#ignition) state.ignition = this.#ignition;
    if (this.#jump) state.jump = this.#jump;
    if (this.#decidedAt !== undefined) state.decidedAt = this.#decidedAt;
    return state;
  }

  settle(input: Input): void {
    this.#at = input.at;
    this.#order = orderOf(input);
  }

  /** Lets happen what the clock brings until then, in its order. */
  wind(until: number): void {
    const from = this.#at;
    for (;;) {
      const due = dueOf({ motion: this.#motion, fences: this.#fences, triggers: this.#triggers });
      if (due === undefined || due > until) break;
      // What the clock decided is an input too: whatever comes for a time before it is late.
      this.#at = due;
      this.#order = CLOCK;
      this.#motionDue(due);
      this.#fencesDue(due);
      this.#triggersDue(due);
    }
    if ((this.#rules.newestShapeAt ?? from) > from) this.#shapesBegin(from, until);
  }

  /**
   * Fences that got their shape in the meantime are evaluated by where the device was last, so that a device within a new
   * fence is inside from then on. It is their first decision, so nothing fires. Where it decides nothing, the next fix
   * does.
   */
  #shapesBegin(from: number, until: number): void {
    if (this.#motion === undefined || until <= from) return;
    const { at: _, ...last } = lastEffectivePosition(this.#motion);
    const stands = { ...last, stopped: !isMoving(this.#motion), imprecise: false };
    for (const rule of this.#candidates(until, last, undefined)) {
      if (rule.shapedAt <= from) continue;
      const kept = this.#fences[rule.fenceId];
      if (kept?.shapedAt === rule.shapedAt) continue;
      const fix: Located = { ...last, at: rule.shapedAt, alerts: 0 };
      const { membership } = evaluate(rule, kept, { ...stands, fix });
      if (membership === undefined && kept === undefined) continue;
      this.#keep(rule, membership);
      if (rule.shapedAt <= this.#at) continue;
      // It is an input like all that the clock decides: whatever comes for a time before it is late.
      this.#at = rule.shapedAt;
      this.#order = CLOCK;
    }
  }

  #motionDue(due: number): void {
    if (this.#motion === undefined || motionDue(this.#motion) !== due) return;
    const { last } = this.#motion;
    const moved = silence(this.#motion, due);
    this.#take(moved, due);
    this.#countDay(due, 0);
    const { started, stopped } = moved;
    const change: MotionChange = { at: due, pointId: last.pointId, started, stopped };
    this.#ask(due, (evaluator, rule) => evaluator.onMotion?.(rule, this.#before(rule), change));
  }

  #fencesDue(due: number): void {
    if (earliestDue(this.#fences) > due) return;
    for (const id of idsOf(this.#fences)) {
      const membership = this.#fences[id]!;
      const { pending } = membership;
      if (pending === undefined || pending.due > due) continue;
      const rule = this.#rules.fence(due, id);
      if (rule === undefined || rule.shapedAt !== membership.shapedAt) {
        this.#fences = without(this.#fences, id);
        continue;
      }
      const { membership: after, crossings } = confirm(rule, membership, due);
      this.#keep(rule, after);
      this.effects.crossings.push(...crossings);
      this.#countDay(due, 0);
      if (crossings.length > 0)
        this.#ask(due, (evaluator, rule) => evaluator.onCrossings?.(rule, this.#before(rule), crossings));
    }
  }

  #triggersDue(due: number): void {
    if (earliestDue(this.#triggers) > due) return;
    const inForce = new Map(this.#rules.triggers(due).map((rule) => [rule.triggerId, rule]));
    for (const id of idsOf(this.#triggers)) {
      const state = this.#triggers[id]!;
      if (state.due === undefined || state.due > due) continue;
      const rule = inForce.get(id);
      const verdict =
        rule && rule.version === state.version ? TRIGGERS[rule.type].evaluator.onClock?.(rule, state, due) : undefined;
      if (rule && verdict) this.#note(rule, verdict);
      else this.#triggers = without(this.#triggers, id);
    }
  }

  fix(fix: Fix): void {
    this.#ignite(ignitionByFix(this.#ignition, fix), fix.at);
    const stands = isLocated(fix) ? this.#locate(fix) : undefined;
    const moved = stands?.moved ?? { advancedM: 0 };
    const crossings = stands ? this.#evaluateFences(stands.standpoint) : [];
    const shown: Fix = stands || !isLocated(fix) ? fix : { ...fix, place: undefined, speedKmh: undefined };
    this.effects.crossings.push(...crossings);
    const { day, dayKm } = this.#countDay(fix.at, moved.advancedM);
    const moment = { fix: shown, position: stands?.standpoint, moving: isMoving(this.#motion), day, dayKm };
    const change: MotionChange = { at: fix.at, pointId: fix.pointId, started: moved.started, stopped: moved.stopped };
    const inForce = this.#rules.triggers(fix.at);
    this.effects.asked += inForce.length;
    for (const rule of inForce) {
      const { evaluator } = TRIGGERS[rule.type];
      this.#note(rule, evaluator.onFix?.(rule, this.#before(rule), moment));
      this.#note(rule, evaluator.onMotion?.(rule, this.#before(rule), change));
      if (crossings.length > 0) this.#note(rule, evaluator.onCrossings?.(rule, this.#before(rule), crossings));
    }
  }

  reading(reading: Reading): void {
    this.#ignite(ignitionByReading(this.#ignition, reading), reading.at);
    const last: LastPosition | undefined = this.#motion && lastEffectivePosition(this.#motion);
    this.#ask(reading.at, (evaluator, rule) => evaluator.onReading?.(rule, this.#before(rule), reading, last));
  }

  message(message: { at: number; id: number }): void {
    this.#ask(message.at, (evaluator, rule) => evaluator.onMessage?.(rule, this.#before(rule), message));
  }

  #ask(at: number, decide: (evaluator: Evaluator, rule: TriggerRule) => Verdict | undefined): void {
    const inForce = this.#rules.triggers(at);
    this.effects.asked += inForce.length;
    for (const rule of inForce) this.#note(rule, decide(TRIGGERS[rule.type].evaluator, rule));
  }

  /** Where the device is now, unless it cannot be there. */
  #locate(fix: Located): { standpoint: FencePosition; moved: Partial<Moved> & { advancedM: number } } | undefined {
    const { verdict, jump } = plausibility({ motion: this.#motion, jump: this.#jump }, fix);
    this.#jump = jump;
    if (verdict === 'implausible') {
      this.effects.implausible.push(fix.pointId);
      return undefined;
    }
    const before = this.#motion;
    const wasStopped = before !== undefined && !isMoving(before);
    const moved = before === undefined || verdict === 'elsewhere' ? this.#appear(fix) : move(before, fix);
    this.#take(moved, fix.at);
    const stopped = !isMoving(this.#motion);
    const isWay =
      before !== undefined &&
      verdict === 'plausible' &&
      !(wasStopped && stopped) &&
      fix.at - before.last.at <= PASSING_MS;
    const standpoint: FencePosition = {
      fix,
      ...effectivePosition(before, this.#motion!, fix),
      ...(isWay && { before: lastEffectivePosition(before) }),
      ...(this.#decidedAt !== undefined && { decidedBefore: this.#decidedAt }),
    };
    this.#decidedAt = fix.at;
    return { standpoint, moved };
  }

  /** Seen for the first time, or where it cannot have gone: a trip ends at the last place before. */
  #appear(fix: Located): Moved {
    const gone = this.#motion && isMoving(this.#motion) ? silence(this.#motion, Number.POSITIVE_INFINITY) : undefined;
    return { ...gone, motion: begin(fix), advancedM: 0 };
  }

  #take(moved: Moved, decidedAt: number): void {
    this.#motion = moved.motion;
    if (moved.trip) this.effects.trips.push({ ...moved.trip, decidedAt });
    if (moved.stop) this.effects.stops.push({ ...moved.stop, decidedAt });
  }

  #ignite(ignition: Ignition | undefined, at: number): void {
    if (ignition === undefined || ignition === this.#ignition) return;
    if (ignition.isOn !== this.#ignition?.isOn) this.effects.ignition.push({ at, isOn: ignition.isOn });
    this.#ignition = ignition;
  }

  #evaluateFences(standpoint: FencePosition): Crossing[] {
    const crossings: Crossing[] = [];
    for (const rule of this.#candidates(standpoint.fix.at, standpoint, standpoint.before)) {
      const kept = this.#fences[rule.fenceId];
      this.effects.asked++;
      const { membership, crossings: crossed } = evaluate(rule, kept, standpoint);
      this.#keep(rule, membership);
      crossings.push(...crossed);
    }
    return crossings.length < 2 ? crossings : crossings.sort((a, b) => a.at - b.at || a.rule.fenceId - b.rule.fenceId);
  }

  /** The fences near the device or its way, and those it has to do with already. */
  #candidates(
    at: number,
    { place, accuracyM }: Pick<FencePosition, 'place' | 'accuracyM'>,
    before: FencePosition['before'],
  ): Iterable<FenceRule> {
    const found = new Map<number, FenceRule>();
    // Who is near the place is near the way to it as well.
    const from = before?.place ?? place;
    const wayM = before === undefined ? 0 : distanceM(from, place);
    const reachM = wayM + REACH * (Math.max(before?.accuracyM ?? 0, accuracyM) + 0.1 * wayM);
    for (const rule of this.#rules.fencesNear(at, from, reachM)) found.set(rule.fenceId, rule);
    for (const id of idsOf(this.#fences)) {
      if (found.has(id)) continue;
      const rule = this.#rules.fence(at, id);
      if (rule) found.set(rule.fenceId, rule);
      else this.#fences = without(this.#fences, id);
    }
    return found.values();
  }

  #keep(rule: FenceRule, membership: Membership | undefined): void {
    this.#fences =
      membership === undefined
        ? without(this.#fences, rule.fenceId)
        : withValue(this.#fences, rule.fenceId, membership);
  }

  /** The UTC day of a moment, and the kilometres gone in it so far. */
  #countDay(at: number, advancedM: number): { day: string; dayKm: number } {
    const date = dateOf(at);
    const km = (this.#day.date === date ? this.#day.km : 0) + advancedM / 1000;
    this.#day = { date, km };
    return { day: date, dayKm: km };
  }

  /** What a trigger remembers. Another version of it starts afresh. */
  #before(rule: TriggerRule): TriggerState | undefined {
    const state = this.#triggers[rule.triggerId];
    if (state === undefined || state.version === rule.version) return state;
    this.#triggers = without(this.#triggers, rule.triggerId);
    return undefined;
  }

  #note(rule: TriggerRule, verdict: Verdict | undefined): void {
    if (verdict === undefined) return;
    const { state, firings } = verdict;
    this.#triggers =
      state === undefined
        ? without(this.#triggers, rule.triggerId)
        : withValue(this.#triggers, rule.triggerId, unlessSame(this.#triggers[rule.triggerId], state));
    for (const firing of firings) this.effects.firings.push({ ...firing, rule });
  }
}

/** Evaluators may make an equal new object: then the old one stays, and nothing is copied or written. */
function unlessSame(before: TriggerState | undefined, after: TriggerState): TriggerState {
  if (before === undefined || before === after) return after;
  const [a, b] = [before, after] as unknown as Record<string, unknown>[];
  const names = Object.keys(b!);
  return names.length === Object.keys(a!).length && names.every((name) => a![name] === b![name]) ? before : after;
}

const DAY_MS = 86_400_000;
let lastDay = { day: Number.NaN, date: '' };

/** The day in UTC. Fixes of a day come in a row, and writing out a date costs more than evaluating a fix. */
function dateOf(at: number): string {
  const day = Math.floor(at / DAY_MS);
  if (lastDay.day !== day) lastDay = { day, date: new Date(at).toISOString().slice(0, 10) };
  return lastDay.date;
}

const CLOCK = orderOf({ kind: 'clock', at: 0 });
