import type { Violation } from '@trackway/contract/accept.ts';
import { invalid } from '../../refusals.ts';
import { findRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';
import { activeOf, planOf, type StoredPlan, titleOf } from './subscriptions.ts';

/** A plan limits how often a device may connect: each field of the configuration, and its limit. */
const LIMITS = { interval: 'wakeLimit', sleepInterval: 'sleepLimit' } as const;

type Limited = keyof typeof LIMITS;
type LimitedSettings = { readonly [Name in Limited]?: number | null };

/** The settings below the limits of a plan, with the limits. */
const below = (plan: StoredPlan, settings: LimitedSettings): (readonly [Limited, number])[] =>
  (Object.keys(LIMITS) as Limited[]).flatMap((name) => {
    const limit = plan[LIMITS[name]] ?? 0;
    const value = settings[name] ?? undefined;
    return value !== undefined && value < limit ? [[name, limit] as const] : [];
  });

/** Rejects settings below the limits of the device's plan. */
export async function refuseBelowLimits(
  on: Tx,
  deviceId: number,
  changes: LimitedSettings,
  now: number,
): Promise<void> {
  const active = await activeOf(on, deviceId, now);
  const plan = active && (await planOf(on, active.planId));
  if (plan === undefined) return;
  const violations = below(plan, changes).map(
    ([field, limit]): Violation => ({
      field,
      code: 'planLimit',
      message: `must be at least ${limit} on the plan ${titleOf(plan)}`,
    }),
  );
  if (violations.length > 0) throw invalid('deviceConfig', violations);
}

/** Raises the settings of a device to the limits of its new plan. Returns the raised ones. */
export async function raiseToLimits(tx: Tx, deviceId: number, plan: StoredPlan, now: number): Promise<LimitedSettings> {
  const settings = await findRow(tx, 'deviceConfigs', { deviceId }, ['interval', 'sleepInterval']);
  const raised: LimitedSettings = Object.fromEntries(below(plan, settings ?? {}));
  if (Object.keys(raised).length > 0)
    await tx
      .updateTable('deviceConfigs')
      .set({ ...raised, modified: now } as { modified: number })
      .where('deviceId', '=', deviceId)
      .execute();
  return raised;
}
