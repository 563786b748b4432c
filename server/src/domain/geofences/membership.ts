import type { Place } from '../../platform/sphere.ts';
import type { Located } from '../fix.ts';
import { isMoving, type LastSeen, type Motion } from '../motion/motion.ts';
import { isImprecise, isOutlier, type Jump, observationOf } from '../motion/outlier.ts';
import { standstillAccuracyM } from '../motion/standstill.ts';
import { type Area, signedDistanceM } from './area.ts';
import { confidenceInside } from './confidence.ts';
import { courseAgrees, crossing, HEADING_KMH } from './crossing.ts';

/** Decides whether a device is inside a fence: pure, in fix time. A fix is a disc, so the result is a confidence. */

export interface FenceRule {
  readonly fenceId: number;
  /** The valid version of the fence, and the time since which its shape is unchanged. */
  readonly version: number;
  readonly shapedAt: number;
  readonly userId: number;
  readonly name: string | null;
  readonly foreignId: string | null;
  readonly group: string | null;
  readonly area: Area;
  readonly enter: number;
  readonly exit: number;
  readonly enterAfterMs: number;
  readonly exitAfterMs: number;
}

/** The evidence of a decision, to explain it to the user. */
interface Evidence {
  readonly pointId: number;
  readonly at: number;
  readonly place: Place;
  readonly distanceM: number;
  readonly accuracyM: number;
  readonly confidence: number;
  readonly stopped: boolean;
}

/** Stored only for fences that currently matter to the device; without one the device is outside. */
export interface Membership {
  readonly shapedAt: number;
  /** Undefined until the first decision, which causes no crossing. */
  readonly inside?: boolean;
  readonly since: number;
  readonly pending?: PendingCrossing;
}

/** A fix indicates a crossing that is not confirmed yet: it has to last, or one fix alone is not enough. */
interface PendingCrossing {
  readonly evidence: Evidence;
  /** From this time on, the next fix with the same decision confirms it. */
  readonly sureFrom: number;
  /** At this time the clock confirms it, if no fix has contradicted it. */
  readonly due: number;
  /** Set if the fix was an unexplained jump. */
  readonly jump?: Jump;
}

export interface Crossing {
  readonly rule: FenceRule;
  readonly type: 'entry' | 'exit';
  /** The time of the crossing, and the time of its confirmation. */
  readonly at: number;
  readonly decidedAt: number;
  readonly confidence: number;
  readonly interpolated: boolean;
  readonly evidence: readonly Evidence[];
}

/**
 * The position used to evaluate a device: its fix, or the mean of its stop, which is more accurate than any single fix.
 */
export interface FencePosition {
  readonly fix: Located;
  readonly place: Place;
  readonly accuracyM: number;
  readonly stopped: boolean;
  /** The previous position, if the path between the two may be interpolated. */
  readonly before?: {
    readonly at: number;
    readonly place: Place;
    readonly accuracyM: number;
    readonly pointId: number;
    readonly speedKmh?: number;
    readonly courseDeg?: number;
    readonly jumpedFrom?: unknown;
  };
  /** Set if the fix is farther from the previous one than their speeds explain. */
  readonly jump?: Jump;
  /** The previous fix is a better estimate of the position. */
  readonly imprecise: boolean;
  /**
   * Time of the last earlier fix that was evaluated: a fence whose shape is older and that has no membership was
   * outside.
   */
  readonly decidedBefore?: number;
}

interface Evaluated {
  readonly membership: Membership | undefined;
  readonly crossings: readonly Crossing[];
}

/** With a confidence between this and a threshold, one fix alone decides nothing … */
const SURE = 0.8;
/** … unless the device moves and is farther beyond the edge than on a street along the edge … */
const STREET_M = 10;
/** … and the fix is accurate enough to distinguish streets. */
const WIDE_M = 200;
/**
 * A device that stops reporting right after it entered counts as inside, because nothing contradicts it. Sleeping
 * devices report every half hour, and one report may be lost.
 */
const BELIEVED_AFTER_MS = 3_600_000;

const NONE: readonly Crossing[] = [];

/** Evaluates one fence for one fix. */
export function evaluate(rule: FenceRule, kept: Membership | undefined, standpoint: FencePosition): Evaluated {
  const evidence = look(rule, standpoint);
  const decision = standpoint.imprecise ? undefined : decisionOf(rule, evidence);
  const before = membershipBefore(rule, kept, standpoint);
  if (before.inside === undefined) {
    const membership = { ...before, ...(decision !== undefined && { inside: decision, since: evidence.at }) };
    return { membership: unlessPlainlyOutside(membership, evidence), crossings: NONE };
  }
  const outside = !before.inside && decision !== true && before.pending === undefined;
  const passed = outside ? passing(rule, standpoint, evidence) : NOT_PASSED;
  const after = decide(
    rule,
    passed.stays ? { ...before, inside: true, since: passed.stays } : before,
    decision,
    evidence,
    standpoint,
  );
  return {
    membership: unlessPlainlyOutside(after.membership, evidence),
    crossings: [...passed.crossings, ...after.crossings],
  };
}

/** Confirms a pending crossing that is due at `at` by the clock. */
export function confirm(rule: FenceRule, kept: Membership, at: number): Evaluated {
  const { pending } = kept;
  if (pending === undefined || pending.due > at) return { membership: kept, crossings: NONE };
  return confirmed(rule, kept, pending.evidence, pending.due);
}

interface Decided extends Evaluated {
  readonly membership: Membership;
}

const decisionOf = ({ enter, exit }: FenceRule, { confidence }: Evidence) =>
  confidence >= enter ? true : confidence <= exit ? false : undefined;

function isSure({ confidence, distanceM, accuracyM }: Evidence, { speedKmh = 0 }: Located): boolean {
  if (confidence >= SURE || confidence <= 1 - SURE) return true;
  return speedKmh >= HEADING_KMH && Math.abs(distanceM) >= STREET_M && accuracyM <= WIDE_M;
}

function decide(
  rule: FenceRule,
  before: Membership,
  decision: boolean | undefined,
  here: Evidence,
  standpoint: FencePosition,
): Decided {
  const { pending } = before;
  const isNews = decision !== undefined && decision !== before.inside;
  if (pending === undefined) {
    if (!isNews) return { membership: before, crossings: NONE };
    const begun = waitingFor(rule, decision, here, standpoint);
    if (begun.due <= here.at) return confirmed(rule, before, here, here.at);
    return { membership: { ...before, pending: begun }, crossings: NONE };
  }
  if (isNews && pending.sureFrom <= here.at) return confirmed(rule, before, pending.evidence, here.at, here);
  if (isNews || decision === undefined) return { membership: before, crossings: NONE };
  const { pending: _, ...settled } = before;
  if (!wasThere(rule, pending, here, standpoint)) return { membership: settled, crossings: NONE };
  const there = confirmed(rule, settled, pending.evidence, here.at, here);
  const back = decide(rule, there.membership, decision, here, { ...standpoint, jump: undefined });
  return { membership: back.membership, crossings: [...there.crossings, ...back.crossings] };
}

function waitingFor(
  rule: FenceRule,
  enters: boolean,
  evidence: Evidence,
  { fix, jump }: FencePosition,
): PendingCrossing {
  const sureFrom = evidence.at + (enters ? rule.enterAfterMs : rule.exitAfterMs);
  if (jump === undefined && isSure(evidence, fix)) return { evidence, sureFrom, due: sureFrom };
  const due = Math.max(sureFrom, evidence.at + BELIEVED_AFTER_MS);
  return { evidence, sureFrom, due, ...(jump && { jump }) };
}

/**
 * Whether the device did cross, although the next fix has it back where it was: either its jump turns out to be a real
 * path, or it was barely inside but the straight path to here leads further into the fence.
 */
function wasThere(
  { area, enter, exit }: FenceRule,
  { evidence, sureFrom, jump }: PendingCrossing,
  here: Evidence,
  { fix, before, jump: leapsBack }: FencePosition,
): boolean {
  if (sureFrom > evidence.at) return false;
  if (jump !== undefined) return !isOutlier(jump.from, jump.to, fix);
  if (before === undefined || leapsBack !== undefined || evidence.confidence < enter) return false;
  return crossing(area, evidence, here, { enter: SURE, exit }) !== undefined;
}

function confirmed(
  rule: FenceRule,
  before: Membership,
  crossed: Evidence,
  decidedAt: number,
  last?: Evidence,
): Decided {
  const inside = !before.inside;
  const evidence = last && last !== crossed ? [crossed, last] : [crossed];
  const crossings: Crossing[] = [
    {
      rule,
      type: inside ? 'entry' : 'exit',
      at: crossed.at,
      decidedAt,
      confidence: crossed.confidence,
      interpolated: false,
      evidence,
    },
  ];
  return { membership: { shapedAt: before.shapedAt, inside, since: crossed.at }, crossings };
}

function look(rule: FenceRule, { fix, place, accuracyM, stopped }: FencePosition): Evidence {
  const distanceM = signedDistanceM(rule.area, place);
  return {
    pointId: fix.pointId,
    at: fix.at,
    place,
    distanceM,
    accuracyM,
    confidence: confidenceInside(distanceM, accuracyM),
    stopped,
  };
}

/**
 * A fence with a new shape is decided again; one without a membership was outside if any fix has been evaluated since.
 */
function membershipBefore(rule: FenceRule, kept: Membership | undefined, { decidedBefore }: FencePosition): Membership {
  if (kept !== undefined && kept.shapedAt === rule.shapedAt) return kept;
  const isKnown = kept === undefined && decidedBefore !== undefined && decidedBefore >= rule.shapedAt;
  return { shapedAt: rule.shapedAt, since: rule.shapedAt, ...(isKnown && { inside: false }) };
}

function unlessPlainlyOutside(membership: Membership, evidence: Evidence): Membership | undefined {
  const isPlainlyOutside = membership.inside === false && membership.pending === undefined && evidence.distanceM > 0;
  return isPlainlyOutside ? undefined : membership;
}

interface Passed {
  readonly crossings: readonly Crossing[];
  /** The time since which it is inside, if it did not certainly leave again. */
  readonly stays?: number;
}
const NOT_PASSED: Passed = { crossings: NONE };

/** Finds a passage through the fence between two fixes outside it. */
function passing(rule: FenceRule, standpoint: FencePosition, here: Evidence): Passed {
  const { before, fix } = standpoint;
  if (before === undefined || standpoint.jump !== undefined || before.jumpedFrom !== undefined) return NOT_PASSED;
  const to = { place: here.place, accuracyM: here.accuracyM, at: here.at };
  const through = crossing(rule.area, before, to, rule);
  if (through === undefined) return NOT_PASSED;
  const { enteredAt, leftAt, confidence } = through;
  if (!courseAgrees(before, fix, confidence)) return NOT_PASSED;
  if ((leftAt ?? here.at) - enteredAt < rule.enterAfterMs) return NOT_PASSED;
  const there = look(rule, {
    ...standpoint,
    ...before,
    fix: { ...fix, at: before.at, pointId: before.pointId },
    stopped: false,
  });
  const both = { rule, decidedAt: here.at, confidence, interpolated: true, evidence: [there, here] };
  const entry: Crossing = { ...both, type: 'entry', at: enteredAt };
  if (leftAt === undefined) return { crossings: [entry], stays: enteredAt };
  return { crossings: [entry, { ...both, type: 'exit', at: leftAt }] };
}

/** The position used to evaluate a device, and its reliability. */
export interface EffectivePosition {
  readonly place: Place;
  readonly accuracyM: number;
  readonly stopped: boolean;
  /** Set if the fix is farther from the previous one than their speeds explain. */
  readonly jump?: Jump;
  /** The previous fix is a better estimate of the position. */
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

/** The last fix, at the position used for the evaluation. */
export const lastEffectivePosition = (motion: Motion): LastSeen => ({
  ...motion.last,
  ...spotOf(motion, motion.last, !isMoving(motion)),
});

/**
 * The position of the fix, or the mean of the rest. A stop begins with its first fix but is recognized only three
 * minutes later; its mean is used from the second fix on, so that the state does not flap at an edge in those minutes.
 */
function spotOf({ standstill }: Motion, { place, accuracyM }: Pick<LastSeen, 'place' | 'accuracyM'>, stopped: boolean) {
  return stopped || standstill.count > 1
    ? { place: standstill.mean, accuracyM: standstillAccuracyM(standstill) }
    : { place, accuracyM };
}
