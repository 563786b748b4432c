import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type planOperations as contract, subscription } from '@trackway/contract/resources/plan.ts';
import type { planV2Operations as contractV2 } from '@trackway/contract/resources/v2/plan-v2.ts';
import { type Call, Created, type Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { accessDenied, childNotFound, invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import {
  activeOf,
  endSubscription,
  lockOwner,
  type OnPlan,
  type Renewal,
  requirePlan,
  showSubscription,
  startSubscription,
} from '../plans/subscriptions.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { activate, deactivate, planBegan, planEnded } from './activity.ts';
import { recordDeviceEvent } from './device-events.ts';
import type { FindNamed } from './identifiers.ts';
import { deviceInV2 } from './page-v2.ts';

/** The operations of the credits and of the catalogue. */
type CreditOperation = 'buyPlans' | 'listOwnOrderPlans' | 'listOrderPlans' | 'listPlansForDevices';

type DevicePlanOperation =
  | Extract<keyof typeof contract, 'getDevicePlan' | 'setDevicePlan' | 'endDevicePlan'>
  | Exclude<keyof typeof contractV2, CreditOperation>;

/** The plan of a device, in both versions of the API. */
export function devicePlanOperations(store: Store, named: FindNamed): Handlers<DevicePlanOperation> {
  const subscribed = collectionOf(store, 'subscriptions', subscription);
  const noPlan = (deviceId: number) => childNotFound('subscription', `of device ${deviceId}`);

  const put = (call: Pick<Call, 'caller' | 'address' | 'now'>, wanted: WantedPlan) =>
    store.transaction(async (tx) => {
      const done = await putOnPlan(tx, wanted, call.now);
      const { deviceId, planId, renewal } = wanted;
      await recordDeviceAudit(tx, call, { action: 'devicePlan.set', deviceId, detail: { planId, ...renewal } });
      return done;
    });

  return {
    async getDevicePlan({ deviceId, now }) {
      const active = await activeOf(store.query, deviceId, now);
      if (active === undefined) throw noPlan(deviceId);
      return subscribed.present(active as object as Row);
    },
    async setDevicePlan(call) {
      const { planId, renews } = call.body;
      const renewal = renews == null ? {} : { renews };
      const done = await put(call, { deviceId: call.deviceId, planId: planId!, renewal, isActivating: false });
      return subscribed.present(done.subscription as object as Row);
    },
    async endDevicePlan(call) {
      const { deviceId, now } = call;
      await store.transaction(async (tx) => {
        if (!(await takeOffPlan(tx, deviceId, now))) throw noPlan(deviceId);
        await recordDeviceAudit(tx, call, { action: 'devicePlan.ended', deviceId });
      });
    },

    async getPlanOfDevice(call) {
      const { deviceId, now } = call;
      const active = await activeOf(store.query, deviceId, now);
      const device = await deviceInV2(store, call, deviceId);
      if (active === undefined) throw noPlan(deviceId);
      const shown = showSubscription({ subscription: active, plan: await requirePlan(store.query, active.planId) });
      const { userId, planId, plan, created } = shown;
      return { ...device, subscription: shown, deviceId, userId, planId, plan: plan!, created };
    },
    async putPlanOfDevice(call) {
      const renewal = renewalOf(call);
      const { deviceId, body } = call;
      const done = await put(call, { deviceId, planId: body.planId!, renewal, isActivating: true });
      const shown = showSubscription(done);
      return done.isNew ? new Created(shown) : shown;
    },
    async removePlanOfDevice(call) {
      const { deviceId, now } = call;
      await store.transaction(async (tx) => {
        if ((await activeOf(tx, deviceId, now)) === undefined) throw noPlan(deviceId);
        await deactivate(tx, deviceId, now);
        await recordDeviceAudit(tx, call, { action: 'devicePlan.ended', deviceId });
      });
      return {};
    },

    async putPlanOfDevices(call) {
      const { deviceIdentifiers, planId } = call.body;
      const renewal = renewalOf(call);
      await requirePlan(store.query, planId!);
      const messages = new Map<string, string>();
      const results: AnswerOf<'putPlanOfDevices'>['results'] = [];
      for (const identifier of deviceIdentifiers!) {
        let message = messages.get(identifier);
        if (message === undefined) {
          message = await messageOf(async () => {
            const device = await named(call.caller, identifier);
            if (device === undefined) throw modelNotFound('device', identifier);
            if (device.right !== 'own') throw accessDenied();
            const key = `id:${device.deviceId}`;
            const known = messages.get(key);
            if (known !== undefined) return known;
            const said = await messageOf(async () => {
              await put(call, { deviceId: device.deviceId, planId: planId!, renewal, isActivating: true });
              return '';
            });
            messages.set(key, said);
            return said;
          });
          messages.set(identifier, message);
        }
        results.push({ identifier, status: message === '' ? 'SUCCESS' : 'ERROR', message });
      }
      const errorCount = results.filter(({ status }) => status === 'ERROR').length;
      const totalRequested = results.length;
      return { results, summary: { totalRequested, successCount: totalRequested - errorCount, errorCount } };
    },
  };
}

/**
 * The result as a sentence; empty on success. Only refusals are returned, everything else is an error of the server.
 */
async function messageOf(run: () => Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refusal && error.statusCode < 500) return error.message;
    throw error;
  }
}

function renewalOf({ body, sent, now }: Pick<Call<{ renewUntil?: string | null }>, 'body' | 'sent' | 'now'>): Renewal {
  // In a body that creates something, null is dropped; here it ends the renewal.
  if (sent.renewUntil === null) return { renewUntil: null };
  if (body.renewUntil == null) return {};
  const renewUntil = Date.parse(body.renewUntil);
  if (renewUntil <= now) throw invalidField('devicePlan', 'renewUntil', 'range', 'must be in the future');
  return { renewUntil };
}

/** What changes with the plan of a device, in one transaction: its subscription, its settings and its timeline. */

interface WantedPlan {
  readonly deviceId: number;
  readonly planId: number;
  readonly renewal: Renewal;
  /** Whether an inactive device becomes active by it. */
  readonly isActivating: boolean;
}

interface PlanPut extends OnPlan {
  /** Whether a credit was used. */
  readonly isNew: boolean;
}

async function putOnPlan(tx: Tx, wanted: WantedPlan, now: number): Promise<PlanPut> {
  const { deviceId, renewal } = wanted;
  const plan = await requirePlan(tx, wanted.planId);
  // First, because it waits for a running evaluation of the device.
  if (wanted.isActivating && (await activate(tx, deviceId)))
    await recordDeviceEvent(
      tx,
      { deviceId, type: 'activation/activated', description: 'Activated by its plan', meta: { by: 'plan' } },
      now,
    );
  const { subscription, isNew, ended } = await startSubscription(tx, { deviceId, plan, renewal, now });
  if (ended) await planEnded(tx, ended, now);
  if (isNew) await planBegan(tx, 'plans/started', { subscription, plan }, now);
  return { subscription, plan, isNew };
}

/** Ends the plan of a device before its time; whether it had one. */
async function takeOffPlan(tx: Tx, deviceId: number, now: number): Promise<boolean> {
  await lockOwner(tx, deviceId);
  const ended = await endSubscription(tx, deviceId, now);
  if (ended === undefined) return false;
  await tx.updateTable('devices').set({ expires: now }).where('id', '=', deviceId).execute();
  await planEnded(tx, ended, now);
  return true;
}
