import type { AuditAction } from '@trackway/contract/audit.ts';
import {
  type notificationTriggerOperations as contract,
  notificationTrigger,
} from '@trackway/contract/resources/notification-trigger.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import type { Row } from '../../platform/storage/shape.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied, childNotFound, triggerOfRule } from '../../refusals.ts';
import { endedBy, recordAudit, recordDeviceAudit } from '../audit/record.ts';
import { type AddressSecret, keepSecrets, NO_VAULT, takeSecrets } from '../delivery/address-secrets.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../delivery/sending-policy.ts';
import type { CheckTarget } from '../delivery/targets.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { requireDeliverable, requireUsable, triggerChecks } from './checks.ts';
import { triggerChanged, triggerRemoved } from './versions.ts';

type Json = Record<string, unknown>;

/**
 * The owner of a device sees all triggers that notify others about it; users it is shared with see their own triggers.
 */
const scopeOf = (call: Call): Scope => (call.right === 'own' ? children('deviceId', call.deviceId) : ownScope(call));

const ownScope = ({ caller, deviceId }: Call): Scope => ({
  sql: '"deviceId" = ? AND "userId" = ?',
  cells: [deviceId, caller.userId],
});

/** Triggers created by users: triggers of a rule change only with the rule. */
const madeByHand = ({ sql, ...scope }: Scope): Scope => ({ ...scope, sql: `(${sql}) AND "ruleId" IS NULL` });

/** Fields used for evaluation, so that a change creates a new version. */
const VERSIONED = ['name', 'type', 'parameters', 'paused', 'snoozedUntil'];

async function refuseOfRule(store: Store, row: Row): Promise<void> {
  const meta = row.meta as string | null;
  const ruleId = meta === null ? undefined : (JSON.parse(meta) as { ruleId?: number }).ruleId;
  if (ruleId === undefined) return;
  const rule = await findRow(store.query, 'rules', { id: ruleId }, ['name']);
  throw triggerOfRule(ruleId, rule?.name ?? String(row.name));
}

export function triggerOperations(
  store: Store,
  access: DeviceAccess,
  checkTarget: CheckTarget,
  policy: SendingPolicy = DEFAULT_POLICY,
  quotas: Quotas = UNLIMITED,
  vault: Pick<Vault, 'seal'> = NO_VAULT,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'notificationTriggers', notificationTrigger);
  const family = familyOf('notificationTrigger', rows, scopeOf);
  const byUser = familyOf('notificationTrigger', rows, ({ userId }) => madeByHand(children('userId', userId)));
  const { requireKeys, requireAddresses, requireWatching } = triggerChecks(store, access, checkTarget, policy);

  async function requireTriggerRoom(tx: Tx, { caller, deviceId }: Call): Promise<void> {
    const { userId } = caller;
    const room = { quotas, caller, userId };
    const own = (on: Tx, userIds: readonly number[]) =>
      on.selectFrom('notificationTriggers').where('userId', 'in', userIds).where('ruleId', 'is', null);
    await requireRoom(tx, room, 'deviceTriggers', (on, userIds) => own(on, userIds).where('deviceId', '=', deviceId));
    await requireRoom(tx, room, 'triggers', own);
  }

  return {
    listNotificationTriggers: (call) => listOf(family, call),
    listUserTriggers: (call) => listOf(byUser, call),
    countNotificationTriggers: (call) => countOf(family, call),
    getNotificationTrigger: (call) => readOf(family, call),
    async deleteNotificationTrigger(call) {
      const row = await rowOf(family, call);
      await refuseOfRule(store, row);
      const { userId, type, name } = row;
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx, { deviceId: call.deviceId });
        await triggerRemoved(tx, call.key, call.deviceId, call.now);
        await recordTrigger(tx, call, 'trigger.deleted', { id: call.key, name });
        if (userId !== call.caller.userId)
          await recordAudit(tx, endedBy(call, 'trigger.ended', userId as number, { id: call.key, type }), call.now);
      });
    },
    // All of one's own: an owner deletes triggers of others individually.
    async deleteNotificationTriggers(call) {
      await rows.removeAll(madeByHand(call.caller.admin ? family.scope(call) : ownScope(call)), async (tx, ids) => {
        for (const id of ids) await triggerRemoved(tx, id, call.deviceId, call.now);
        await recordTrigger(tx as Tx, call, 'trigger.deleted', { ids });
      });
    },

    async createNotificationTrigger(call) {
      const values = call.body as Json;
      const type = values.type as string;
      const { isStrict } = call;
      const usable = requireUsable(type, (values.parameters ?? {}) as Json, values.delivery as Json, { isStrict });
      requireDeliverable(usable);
      const escalation = requireWatching(values);
      const secrets = [...takeSecrets(usable), ...(escalation ? takeSecrets(escalation) : [])];
      await requireKeys(call, call.caller.userId, type, usable.parameters);
      const owner = { deviceId: call.deviceId, userId: call.caller.userId };
      return store.transaction(async (tx) => {
        await requireTriggerRoom(tx, call);
        await requireAddresses(tx, call, call.caller.userId, usable);
        if (escalation) await requireAddresses(tx, call, call.caller.userId, escalation);
        await keepSecrets(tx, vault, call.caller.userId, secrets, call.now);
        const row = await rows.insert({ ...values, name: values.name ?? type, ...usable, ...owner }, tx);
        await triggerChanged(tx, row, call.now);
        await recordTrigger(tx, call, 'trigger.created', { id: row.id, name: row.name, type });
        return rows.present(row);
      });
    },

    async updateNotificationTrigger(call) {
      const before = await rowOf(family, call);
      // A user who changes the destination of a trigger could read notifications of another user.
      if (before.userId !== call.caller.userId && !call.caller.admin) throw accessDenied();
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: before.userId as number });
      await refuseOfRule(store, before);
      const shown = rows.present(before);
      const values = { ...(call.body as Json) };
      const merged = { ...shown, ...values };
      const secrets: AddressSecret[] = [];
      if (values.type !== undefined || values.parameters !== undefined || values.delivery !== undefined) {
        const type = merged.type as string;
        const stored = { parameters: (shown.parameters ?? {}) as Json, delivery: shown.delivery as Json };
        const unknowns = { before: stored.parameters, isStrict: call.isStrict };
        const usable = requireUsable(type, (merged.parameters ?? {}) as Json, merged.delivery as Json, unknowns);
        requireDeliverable(usable, stored);
        secrets.push(...takeSecrets(usable));
        if (values.parameters) values.parameters = usable.parameters;
        if (values.delivery) values.delivery = usable.delivery;
        if (JSON.stringify(usable.parameters) !== JSON.stringify(shown.parameters) || type !== shown.type) {
          await requireKeys(call, before.userId as number, type, usable.parameters);
        }
      }
      const isEscalated = values.escalateAfter !== undefined || values.escalation !== undefined;
      const escalation = isEscalated ? requireWatching(merged) : undefined;
      if (escalation) secrets.push(...takeSecrets(escalation));
      const isOther = VERSIONED.some((name) => values[name] !== undefined);
      const row = await store.transaction(async (tx) => {
        if (values.parameters !== undefined || values.delivery !== undefined) {
          const { parameters, delivery } = { ...merged, ...values } as { parameters: Json | null; delivery: Json };
          await requireAddresses(tx, call, before.userId as number, { parameters: parameters ?? {}, delivery });
        }
        if (escalation) await requireAddresses(tx, call, before.userId as number, escalation);
        await keepSecrets(tx, vault, before.userId as number, secrets, call.now);
        const after = await rows.update(call.key, values, tx, { deviceId: call.deviceId });
        if (after && isOther) await triggerChanged(tx, after, call.now);
        const detail = { id: call.key, name: after?.name, userId: before.userId, fields: Object.keys(values) };
        await recordTrigger(tx, call, 'trigger.updated', detail);
        return after;
      });
      if (row === undefined) throw childNotFound('notificationTrigger', call.key);
      return rows.present(row);
    },
  };
}

const recordTrigger = (tx: Tx, call: Call, action: AuditAction, detail: Readonly<Record<string, unknown>>) =>
  recordDeviceAudit(tx, call, { action, deviceId: call.deviceId, detail });
