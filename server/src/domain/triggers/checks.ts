import { take, Wrong } from '@trackway/contract/accept.ts';
import { ADDRESS_PARAMETERS, deliverySchema } from '@trackway/contract/channels.ts';
import { type Reference, TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import { invalid, invalidField } from '../../refusals.ts';
import type { DeviceAccess } from '../devices/access.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { askRecipients } from '../sending/people/recipients.ts';
import type { SendingPolicy } from '../sending/sending-policy.ts';
import { addressesOfOthers, type CheckTarget, wrongAddresses } from '../sending/targets.ts';
import { channelsOf, type Wanted } from '../sending/wanted-channels.ts';
import { requireDeliverable } from './deliverable.ts';

type Json = Record<string, unknown>;

/** What must hold of a trigger, and of a rule that makes triggers. */
export function triggerChecks(store: Store, access: DeviceAccess, checkTarget: CheckTarget, policy: SendingPolicy) {
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

  return {
    /** A geofence must belong to the user whom the trigger notifies, another device be one the caller has access to. */
    async requireKeys(call: Call, userId: number, type: string, parameters: Json): Promise<void> {
      const { parameters: schemas }: TriggerType = TRIGGER_TYPES[type as TriggerTypeName];
      for (const [name, schema] of Object.entries(schemas)) {
        const { refersTo } = schema as { refersTo?: Reference };
        const id = parameters[name];
        if (refersTo !== undefined && typeof id === 'number') await requireAccess[refersTo](call, userId, name, id);
      }
    },

    /** Addresses must be such that something can be sent there, and a queue one that the user may use. */
    async requireAddresses(tx: Kysely<Tables>, call: Call, userId: number, wanted: Wanted): Promise<void> {
      const violations = wrongAddresses(wanted, checkTarget);
      if (violations.length === 0)
        violations.push(...(await addressesOfOthers(tx, wanted, { userId, isAdmin: call.caller.admin }, call.now)));
      if (violations.length > 0) throw invalid('notificationTrigger', violations);
      await askRecipients(tx, store.storeKind, policy, { userId, wanted }, call.now);
    },

    /** An escalation must be able to reach somebody. Returns what it sends by, if there is one. */
    requireWatching(values: Json): Wanted | undefined {
      const { escalateAfter, escalation } = values;
      if (!escalateAfter && !escalation) return undefined;
      const wanted = escalationOf(escalation);
      requireDeliverable(wanted);
      if (channelsOf(wanted).length === 0)
        throw invalidField('notificationTrigger', 'escalation', 'presence', 'needs a channel in `delivery`');
      return wanted;
    },
  };
}

const ADDRESSES: readonly string[] = Object.values(ADDRESS_PARAMETERS);

/** What an escalation is sent by, as it was sent or stored. */
export function escalationOf(sent: unknown): Wanted {
  const wrong = (message: string) => invalidField('notificationTrigger', 'escalation', 'type', message);
  if (!isRecord(sent)) throw wrong("can't be blank: give `delivery` and the addresses it needs in `parameters`");
  const { delivery = {}, parameters = {}, ...others } = sent;
  if (Object.keys(others).length > 0) throw wrong('has keys besides `delivery` and `parameters`');
  if (!isRecord(parameters) || Object.keys(parameters).some((name) => !ADDRESSES.includes(name)))
    throw wrong(`has \`parameters\` that are not addresses: ${ADDRESSES.join(', ')}`);
  const channels = take(deliverySchema, delivery);
  if (channels instanceof Wrong) throw wrong(`has a \`delivery\` that ${channels.message}`);
  return { delivery: { ...(channels as Json) }, parameters };
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
