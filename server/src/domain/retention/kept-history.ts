import { RETENTION_KINDS } from '@trackway/contract/resources/service/retention.ts';
import { cutOf, type KeptDays } from '../positions/kept-days.ts';
import { DAY_MS, startOfDay } from '../positions/segments.ts';

/** For how many days each kind of history is stored; 0 is forever. */
export interface KeptHistory extends KeptDays {
  readonly trips: number;
  readonly notifications: number;
  readonly checkpoints: number;
  /** After how many days positions are thinned; 0 is never. */
  readonly thinAfter: number;
  /** How old a fix may be and still be judged. */
  readonly windowMs: number;
}

/** What is removed, by kind. */
export const FORGOTTEN_KINDS = RETENTION_KINDS;
export type ForgottenKind = (typeof FORGOTTEN_KINDS)[number];
export type ForgottenCounts = Readonly<Record<ForgottenKind, number>>;

/** Before when each kind of history of a device is forgotten; undefined where it is not. */
export type Cuts = { readonly [Kind in ForgottenKind]: number | undefined };

/** What is put right by what was heard late reaches back a little further than the late window. */
const MARGIN_MS = 2 * DAY_MS;

/** @param keepDays of the device or its plan */
export function cutsOf(kept: KeptHistory, keepDays: number | null, now: number): Cuts {
  const { windowMs } = kept;
  const judgedFrom = startOfDay(now - windowMs - MARGIN_MS);
  // A replay would find that they are missing, and tell of them again.
  const settled = (cut: number | undefined) => (cut === undefined ? undefined : Math.min(cut, judgedFrom));
  const positions = cutOf(now, kept.positions, keepDays);
  const states = settled(cutOf(now, kept.checkpoints, kept.positions));
  return {
    positions,
    thinned: settled(cutOf(now, kept.thinAfter)),
    readings: cutOf(now, kept.readings, keepDays),
    trips: settled(cutOf(now, kept.trips)),
    notifications: cutOfNotifications(kept, keepDays, { now, judgedFrom }),
    checkpoints: settled(cutOf(now, kept.checkpoints)),
    ruleVersions: states,
  };
}

/** Where positions are forgotten too, nothing is judged again from before: then their notifications can go as soon. */
function cutOfNotifications(
  { notifications, positions }: KeptHistory,
  keepDays: number | null,
  { now, judgedFrom }: { readonly now: number; readonly judgedFrom: number },
): number | undefined {
  const cut = cutOf(now, notifications, keepDays);
  if (cut === undefined) return undefined;
  return Math.min(cut, Math.max(judgedFrom, cutOf(now, positions, keepDays) ?? 0));
}

export const isAnyForgotten = (cuts: Cuts) => Object.values(cuts).some((cut) => cut !== undefined);
