import type { Place } from '../../platform/sphere.ts';
import type { Fix } from '../fix.ts';
import { type Area, signedDistanceM } from './area.ts';
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
  };
  /** When a fix last decided before: a fence that has had its shape since then, and is not kept, was outside. */
  readonly decidedBefore?: number;
}

export interface Judged {
  readonly membership: Membership | undefined;
  readonly crossings: readonly Crossing[];
}

const NONE: readonly Crossing[] = [];

/** One fence by one fix. */
export function judge(rule: FenceRule, kept: Membership | undefined, standpoint: Standpoint): Judged {
  const evidence = look(rule, standpoint);
  const decision = evidence.confidence >= rule.enter ? true : evidence.confidence <= rule.exit ? false : undefined;
  const before = membershipBefore(rule, kept, standpoint);
  if (before.inside === undefined) {
    const membership = { ...before, ...(decision !== undefined && { inside: decision, since: evidence.at }) };
    return { membership: worthKeeping(membership, evidence), crossings: NONE };
  }
  const outside = !before.inside && decision !== true && before.pending === undefined;
  const passed = outside ? passing(rule, standpoint, evidence) : NOT_PASSED;
  const after = decide(
    rule,
    passed.stays ? { ...before, inside: true, since: passed.stays } : before,
    decision,
    evidence,
  );
  return { membership: worthKeeping(after.membership, evidence), crossings: [...passed.crossings, ...after.crossings] };
}

/** The clock passed `at`: what was pending and due is sure. */
export function confirm(rule: FenceRule, kept: Membership, at: number): Judged {
  const { pending } = kept;
  if (pending === undefined || pending.due > at) return { membership: kept, crossings: NONE };
  return confirmed(rule, kept, pending.evidence, pending.due);
}

interface Decided extends Judged {
  readonly membership: Membership;
}

function decide(rule: FenceRule, before: Membership, decision: boolean | undefined, evidence: Evidence): Decided {
  if (decision === undefined) return { membership: before, crossings: NONE };
  if (decision === before.inside) {
    if (before.pending === undefined) return { membership: before, crossings: NONE };
    const { pending: _, ...settled } = before;
    return { membership: settled, crossings: NONE };
  }
  const waitMs = decision ? rule.enterAfterMs : rule.exitAfterMs;
  const pending = before.pending ?? { evidence, due: evidence.at + waitMs };
  if (pending.due <= evidence.at) return confirmed(rule, before, pending.evidence, evidence.at, evidence);
  return { membership: { ...before, pending }, crossings: NONE };
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
  const isPlainlyOutside = membership.inside === false && membership.pending === undefined && evidence.distanceM > 0;
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
  if (before === undefined) return NOT_PASSED;
  const to = { place: here.place, accuracyM: here.accuracyM, at: here.at };
  const through = crossing(rule.area, before, to, rule);
  if (through === undefined) return NOT_PASSED;
  const { enteredAt, leftAt, confidence } = through;
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
