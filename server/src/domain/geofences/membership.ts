import type { Place } from '../../platform/sphere.ts';
import type { Fix } from '../fix.ts';
import { type Area, signedDistanceM } from './area.ts';
import { isBorneOut } from './borne-out.ts';
import { confidenceInside } from './confidence.ts';
import { crossing } from './crossing.ts';

/** Whether a device is inside a fence: pure, in fix time. A fix is a disc, so this is a matter of confidence. */

export interface FenceRule {
  readonly fenceId: number;
  /** The version of the fence that is in force, and since when its shape is what it is. */
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

/** What the decision rests on, for whoever asks why. */
export interface Evidence {
  readonly pointId: number;
  readonly at: number;
  readonly place: Place;
  readonly distanceM: number;
  readonly accuracyM: number;
  readonly confidence: number;
  readonly stopped: boolean;
}

/** Kept only for fences that matter to the device now; where there is none it is outside. */
export interface Membership {
  readonly shapedAt: number;
  /** Undefined until the first decision, which is silent. */
  readonly inside?: boolean;
  readonly since: number;
  readonly pending?: { readonly evidence: Evidence; readonly due: number };
  /**
   * One fix decided otherwise, but barely, or from where it is hard to believe: the next that decides settles it, or the
   * clock where none comes.
   */
  readonly doubted?: { readonly evidence: Evidence; readonly startled: boolean; readonly due: number };
}

export interface Crossing {
  readonly rule: FenceRule;
  readonly type: 'entry' | 'exit';
  /** When it crossed, and when that was sure. */
  readonly at: number;
  readonly decidedAt: number;
  readonly confidence: number;
  readonly interpolated: boolean;
  readonly evidence: readonly Evidence[];
}

/** Where the device counts as being: at its fix, or at the stop whose mean is better known than any fix of it. */
export interface Standpoint {
  readonly fix: Fix & { readonly place: Place };
  readonly place: Place;
  readonly accuracyM: number;
  readonly stopped: boolean;
  /** The standpoint before, while nothing but a way lies between the two. */
  readonly before?: {
    readonly at: number;
    readonly place: Place;
    readonly accuracyM: number;
    readonly pointId: number;
    readonly speedKmh?: number;
    readonly courseDeg?: number;
    readonly startledFrom?: unknown;
  };
  /** Farther from the fix before than their speeds explain. */
  readonly startles: boolean;
  /** The fix before tells more about where it is. */
  readonly vague: boolean;
  /** Whether the fix before, which startled, was never there. */
  readonly strayedBefore?: boolean;
  /** When a fix last decided before: a fence that has had its shape since then, and is not kept, was outside. */
  readonly decidedBefore?: number;
}

export interface Judged {
  readonly membership: Membership | undefined;
  readonly crossings: readonly Crossing[];
}

/** Between this and a threshold one fix alone decides nothing. */
const SURE = 0.8;
/** As long as ends a trip: a device that fell silent right after it came in is in, since nothing contradicted it. */
const BELIEVED_AFTER_MS = 1_800_000;

const NONE: readonly Crossing[] = [];

/** One fence by one fix. */
export function judge(rule: FenceRule, kept: Membership | undefined, standpoint: Standpoint): Judged {
  const evidence = look(rule, standpoint);
  const decision = standpoint.vague ? undefined : decisionOf(rule, evidence);
  const before = membershipBefore(rule, kept, standpoint);
  if (before.inside === undefined) {
    const membership = { ...before, ...(decision !== undefined && { inside: decision, since: evidence.at }) };
    return { membership: worthKeeping(membership, evidence), crossings: NONE };
  }
  const outside = !before.inside && decision !== true && before.pending === undefined && before.doubted === undefined;
  const passed = outside ? passing(rule, standpoint, evidence) : NOT_PASSED;
  const after = decide(
    rule,
    passed.stays ? { ...before, inside: true, since: passed.stays } : before,
    decision,
    evidence,
    standpoint,
  );
  return { membership: worthKeeping(after.membership, evidence), crossings: [...passed.crossings, ...after.crossings] };
}

/** What waits for the clock, if nothing contradicts it before. */
export const waitingIn = ({ pending, doubted }: Membership) => pending ?? doubted;

/** The clock passed `at`: what waited and is due is sure. */
export function confirm(rule: FenceRule, kept: Membership, at: number): Judged {
  const waiting = waitingIn(kept);
  if (waiting === undefined || waiting.due > at) return { membership: kept, crossings: NONE };
  return confirmed(rule, kept, waiting.evidence, waiting.due);
}

interface Decided extends Judged {
  readonly membership: Membership;
}

const decisionOf = ({ enter, exit }: FenceRule, { confidence }: Evidence) =>
  confidence >= enter ? true : confidence <= exit ? false : undefined;

const isSure = ({ confidence }: Evidence) => confidence >= SURE || confidence <= 1 - SURE;

function decide(
  rule: FenceRule,
  before: Membership,
  decision: boolean | undefined,
  evidence: Evidence,
  { startles, strayedBefore }: Pick<Standpoint, 'startles' | 'strayedBefore'>,
): Decided {
  if (decision === undefined) return { membership: before, crossings: NONE };
  const { doubted } = before;
  if (decision === before.inside) {
    if (before.pending === undefined && doubted === undefined) return { membership: before, crossings: NONE };
    const { pending: _, doubted: __, ...settled } = before;
    if (!doubted?.startled || strayedBefore !== false || !isSure(doubted.evidence))
      return { membership: settled, crossings: NONE };
    // It was there, and has crossed back since.
    const there = confirmed(rule, settled, doubted.evidence, evidence.at, evidence);
    const back = decide(rule, there.membership, decision, evidence, { startles: false });
    return { membership: back.membership, crossings: [...there.crossings, ...back.crossings] };
  }
  const waitMs = decision ? rule.enterAfterMs : rule.exitAfterMs;
  if (waitMs === 0) {
    if (doubted !== undefined) return confirmed(rule, before, doubted.evidence, evidence.at, evidence);
    if (startles || !isSure(evidence))
      return { membership: { ...before, doubted: doubtOf(evidence, startles) }, crossings: NONE };
  }
  const pending = before.pending ?? { evidence, due: evidence.at + waitMs };
  if (pending.due <= evidence.at) return confirmed(rule, before, pending.evidence, evidence.at, evidence);
  return { membership: { ...before, pending }, crossings: NONE };
}

const doubtOf = (evidence: Evidence, startled: boolean) => ({
  evidence,
  startled,
  due: evidence.at + BELIEVED_AFTER_MS,
});

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

function look(rule: FenceRule, { fix, place, accuracyM, stopped }: Standpoint): Evidence {
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

/** A fence that was reshaped is decided anew; one that is not kept was outside if any fix came since. */
function membershipBefore(rule: FenceRule, kept: Membership | undefined, { decidedBefore }: Standpoint): Membership {
  if (kept !== undefined && kept.shapedAt === rule.shapedAt) return kept;
  const isKnown = kept === undefined && decidedBefore !== undefined && decidedBefore >= rule.shapedAt;
  return { shapedAt: rule.shapedAt, since: rule.shapedAt, ...(isKnown && { inside: false }) };
}

function worthKeeping(membership: Membership, evidence: Evidence): Membership | undefined {
  const isPlainlyOutside =
    membership.inside === false &&
    membership.pending === undefined &&
    membership.doubted === undefined &&
    evidence.distanceM > 0;
  return isPlainlyOutside ? undefined : membership;
}

interface Passed {
  readonly crossings: readonly Crossing[];
  /** Since when it is inside, where it did not come out again for sure. */
  readonly stays?: number;
}
const NOT_PASSED: Passed = { crossings: NONE };

/** A way through the fence between two fixes that are not in it. */
function passing(rule: FenceRule, standpoint: Standpoint, here: Evidence): Passed {
  const { before, fix } = standpoint;
  if (before === undefined || standpoint.startles || before.startledFrom !== undefined) return NOT_PASSED;
  const to = { place: here.place, accuracyM: here.accuracyM, at: here.at };
  const through = crossing(rule.area, before, to, rule);
  if (through === undefined) return NOT_PASSED;
  const { enteredAt, leftAt, confidence } = through;
  if (!isBorneOut(before, fix, confidence)) return NOT_PASSED;
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
