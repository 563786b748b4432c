import { RETENTION_KINDS } from '@trackway/contract/resources/service/retention.ts';
import { cutOf, DAY_MS, type KeptDays, startOfDay } from '../positions/segments.ts';

/** Retention of each kind of history in days; 0 is forever. */
export interface KeptHistory extends KeptDays {
  readonly trips: number;
  readonly notifications: number;
  readonly checkpoints: number;
  /** Age in days when positions are thinned; 0 is never. */
  readonly thinAfter: number;
  /** Maximum age of a fix for evaluation. */
  readonly windowMs: number;
}

/** The kinds of removed data. */
export const FORGOTTEN_KINDS = RETENTION_KINDS;
export type ForgottenKind = (typeof FORGOTTEN_KINDS)[number];
export type ForgottenCounts = Readonly<Record<ForgottenKind, number>>;

/** The time before which each kind of a device's history is deleted; undefined if it is kept. */
export type Cuts = { readonly [Kind in ForgottenKind]: number | undefined };

/** Corrections by late data reach slightly further back than the late window. */
const MARGIN_MS = 2 * DAY_MS;

/** @param keepDays of the device or its plan */
export function cutsOf(kept: KeptHistory, keepDays: number | null, now: number): Cuts {
  const { windowMs } = kept;
  const evaluatedFrom = startOfDay(now - windowMs - MARGIN_MS);
  // A replay would find them missing, and send them again.
  const settled = (cut: number | undefined) => (cut === undefined ? undefined : Math.min(cut, evaluatedFrom));
  const positions = cutOf(now, kept.positions, keepDays);
  const states = settled(cutOf(now, kept.checkpoints, kept.positions));
  return {
    positions,
    thinned: settled(cutOf(now, kept.thinAfter)),
    readings: cutOf(now, kept.readings, keepDays),
    trips: settled(cutOf(now, kept.trips)),
    notifications: cutOfNotifications(kept, keepDays, { now, evaluatedFrom }),
    checkpoints: settled(cutOf(now, kept.checkpoints)),
    ruleVersions: states,
  };
}

/**
 * If positions are deleted too, nothing earlier is evaluated again, and notifications can be deleted at the same time.
 */
function cutOfNotifications(
  { notifications, positions }: KeptHistory,
  keepDays: number | null,
  { now, evaluatedFrom }: { readonly now: number; readonly evaluatedFrom: number },
): number | undefined {
  const cut = cutOf(now, notifications, keepDays);
  if (cut === undefined) return undefined;
  return Math.min(cut, Math.max(evaluatedFrom, cutOf(now, positions, keepDays) ?? 0));
}

export const isAnyForgotten = (cuts: Cuts) => Object.values(cuts).some((cut) => cut !== undefined);
