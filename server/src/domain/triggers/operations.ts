import type { AuditAction } from '@trackway/contract/audit.ts';
import {
  type notificationTriggerOperations as contract,
  notificationTrigger,
} from '@trackway/contract/resources/notification-trigger.ts';
import { type Reference, TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { accessDenied, childNotFound, invalid, invalidField } from '../../refusals.ts';
import { endedBy, recordAudit, recordDeviceAudit } from '../audit/record.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { askRecipients } from '../sending/people/recipients.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../sending/sending-policy.ts';
import { addressesOfOthers, type CheckTarget, wrongAddresses } from '../sending/targets.ts';
import type { Wanted } from '../sending/wanted-channels.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';
import { requireDeliverable } from './deliverable.ts';
import { requireUsable } from './parameters.ts';
import { triggerChanged, triggerRemoved } from './versions.ts';

type Json = Record<string, unknown>;

/** The owner of a device sees everything that tells others of it; users whom it is shared with see their own triggers. */
const scopeOf = (call: Call): Scope => (call.right === 'own' ? children('deviceId', call.deviceId) : ownScope(call));

const ownScope = ({ caller, deviceId }: Call): Scope => ({
  sql: '"deviceId" = ? AND "userId" = ?',
  cells: [deviceId, caller.userId],
});

export function triggerOperations(
  store: Store,
  access: DeviceAccess,
  checkTarget: CheckTarget,
  policy: SendingPolicy = DEFAULT_POLICY,
  quotas: Quotas = UNLIMITED,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'notificationTriggers', notificationTrigger);
  const family = familyOf('notificationTrigger', rows, scopeOf);

  const requireAccess: Readonly<
    Record<Reference, (call: Call, userId: number, name: string, id: number) => Promise<unknown>>
  > = {
    device: (call, _userId, _name, id) => access.requireVisible(call.caller, id, 'notificationTrigger', 'parameters'),
    async geofence(_call, userId, name, id) {
      const owned = store.query.selectFrom('geofences').select('id').where('id', '=', id).where('userId', '=', userId);
      if (await owned.executeTakeFirst()) return;
      const problem = `${name} is not a geofence of this user: ${id}`;
      throw invalidField('notificationTrigger', 'parameters', 'unknown', problem);
    },
  };

  /** A geofence must belong to the user whom the trigger notifies, another device be one the caller has access to. */
  async function requireKeys(call: Call, userId: number, type: string, parameters: Json): Promise<void> {
    const { parameters: schemas }: TriggerType = TRIGGER_TYPES[type as TriggerTypeName];
    for (const [name, schema] of Object.entries(schemas)) {
      const { refersTo } = schema as { refersTo?: Reference };
      const id = parameters[name];
      if (refersTo !== undefined && typeof id === 'number') await requireAccess[refersTo](call, userId, name, id);
    }
  }

  async function requireTriggerRoom(tx: Kysely<Tables>, { caller, deviceId }: Call): Promise<void> {
    const { userId } = caller;
    const room = { storeKind: store.storeKind, quotas, caller, userId };
    const own = (on: Kysely<Tables>) =>
      on
        .selectFrom('notificationTriggers')
        .select((of) => of.fn.countAll<number>().as('count'))
        .where('userId', '=', userId);
    await requireRoom(tx, room, 'deviceTriggers', (on) => own(on).where('deviceId', '=', deviceId));
    await requireRoom(tx, room, 'triggers', own);
  }

  /** Addresses must be such that something can be sent there, and a queue one that the user may use. */
  async function requireAddresses(tx: Kysely<Tables>, call: Call, userId: number, wanted: Wanted): Promise<void> {
    const violations = wrongAddresses(wanted, checkTarget);
    if (violations.length === 0)
      violations.push(...(await addressesOfOthers(tx, wanted, { userId, isAdmin: call.caller.admin }, call.now)));
    if (violations.length > 0) throw invalid('notificationTrigger', violations);
    await askRecipients(tx, store.storeKind, policy, { userId, wanted }, call.now);
  }

  return {
    listNotificationTriggers: (call) => listOf(family, call),
    countNotificationTriggers: (call) => countOf(family, call),
    getNotificationTrigger: (call) => readOf(family, call),
    async deleteNotificationTrigger(call) {
      const { userId, type, name } = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx);
        await triggerRemoved(tx, call.key, call.deviceId, call.now);
        await recordTrigger(tx, call, 'trigger.deleted', { id: call.key, name });
        if (userId !== call.caller.userId)
          await recordAudit(tx, endedBy(call, 'trigger.ended', userId as number, { id: call.key, type }), call.now);
      });
      return undefined;
    },
    // All of one's own: an owner ends those of others one by one.
    async deleteNotificationTriggers(call) {
      await rows.removeAll(call.caller.admin ? family.scope(call) : ownScope(call), async (tx, ids) => {
        for (const id of ids) await triggerRemoved(tx, id, call.deviceId, call.now);
        await recordTrigger(tx as Kysely<Tables>, call, 'trigger.deleted', { ids });
      });
      return undefined;
    },

    async createNotificationTrigger(call) {
      const values = call.body as Json;
      const type = values.type as string;
      const usable = requireUsable(type, (values.parameters ?? {}) as Json, values.delivery as Json);
      requireDeliverable(usable);
      await requireKeys(call, call.caller.userId, type, usable.parameters);
      const owner = { deviceId: call.deviceId, userId: call.caller.userId };
      return store.transaction(async (tx) => {
        await requireTriggerRoom(tx, call);
        await requireAddresses(tx, call, call.caller.userId, usable);
        const row = await rows.insert({ ...values, name: values.name ?? type, ...usable, ...owner }, tx);
        await triggerChanged(tx, row, call.now);
        await recordTrigger(tx, call, 'trigger.created', { id: row.id, name: row.name, type });
        return rows.present(row);
      });
    },

    async updateNotificationTrigger(call) {
      const before = await rowOf(family, call);
      // Whoever changes where a trigger sends could read what is meant for its user alone.
      if (before.userId !== call.caller.userId && !call.caller.admin) throw accessDenied();
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: before.userId as number });
      const shown = rows.present(before);
      const values = { ...(call.body as Json) };
      const merged = { ...shown, ...values };
      if (values.type !== undefined || values.parameters !== undefined || values.delivery !== undefined) {
        const type = merged.type as string;
        const usable = requireUsable(type, (merged.parameters ?? {}) as Json, merged.delivery as Json);
        requireDeliverable(usable, { parameters: (shown.parameters ?? {}) as Json, delivery: shown.delivery as Json });
        if (values.parameters) values.parameters = usable.parameters;
        if (values.delivery) values.delivery = usable.delivery;
        if (JSON.stringify(usable.parameters) !== JSON.stringify(shown.parameters) || type !== shown.type) {
          await requireKeys(call, before.userId as number, type, usable.parameters);
        }
      }
      const isOther = ['name', 'type', 'parameters'].some((name) => values[name] !== undefined);
      const row = await store.transaction(async (tx) => {
        if (values.parameters !== undefined || values.delivery !== undefined) {
          const { parameters, delivery } = { ...merged, ...values } as { parameters: Json | null; delivery: Json };
          await requireAddresses(tx, call, before.userId as number, { parameters: parameters ?? {}, delivery });
        }
        const after = await rows.update(call.key, values, tx);
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

const recordTrigger = (
  tx: Kysely<Tables>,
  call: Call,
  action: AuditAction,
  detail: Readonly<Record<string, unknown>>,
) => recordDeviceAudit(tx, call, { action, deviceId: call.deviceId, detail });
