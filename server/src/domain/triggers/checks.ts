import { take, type Violation, Wrong } from '@trackway/contract/accept.ts';
import {
  ADDRESS_PARAMETERS,
  CHANNEL_KINDS,
  DELIVERY_KEYS,
  deliverySchema,
  SECRET_PARAMETERS,
  specOf,
} from '@trackway/contract/channels.ts';
import { mistypedOf } from '@trackway/contract/nearest.ts';
import { type Reference, TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Call } from '../../calls.ts';
import { invalid, invalidField } from '../../refusals.ts';
import { askRecipients } from '../delivery/recipients.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import {
  addressesOfOthers,
  addressOf,
  type CheckTarget,
  channelsOf,
  type Wanted,
  wrongAddresses,
} from '../delivery/targets.ts';
import type { DeviceAccess } from '../devices/access.ts';
import type { Store, Tx } from '../schema/tables.ts';

type Json = Record<string, unknown>;

/** Validates a trigger, and a rule that creates triggers. */
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
    /** A geofence must belong to the notified user, and the caller must have access to another device. */
    async requireKeys(call: Call, userId: number, type: string, parameters: Json): Promise<void> {
      const { parameters: schemas }: TriggerType = TRIGGER_TYPES[type as TriggerTypeName];
      for (const [name, schema] of Object.entries(schemas)) {
        const { refersTo } = schema as { refersTo?: Reference };
        const id = parameters[name];
        if (refersTo !== undefined && typeof id === 'number') await requireAccess[refersTo](call, userId, name, id);
      }
    },

    /** Addresses must be valid destinations, and the user must be allowed to use a queue. */
    async requireAddresses(tx: Tx, call: Call, userId: number, wanted: Wanted): Promise<void> {
      const violations = wrongAddresses(wanted, checkTarget);
      if (violations.length === 0)
        violations.push(...(await addressesOfOthers(tx, wanted, { userId, isAdmin: call.caller.admin }, call.now)));
      if (violations.length > 0) throw invalid('notificationTrigger', violations);
      await askRecipients(tx, policy, { userId, wanted }, call.now);
    },

    /** An escalation must have a recipient. Returns its delivery, if there is one. */
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

const ADDRESSES: readonly string[] = [...Object.values(ADDRESS_PARAMETERS), ...Object.values(SECRET_PARAMETERS)];

/** What an escalation is sent by, as it was sent or stored. */
export function escalationOf(sent: unknown, field: 'escalation' | 'delivery' = 'escalation'): Wanted {
  const wrong = (message: string) => invalidField('notificationTrigger', field, 'type', message);
  if (!isRecord(sent)) throw wrong("can't be blank: send `delivery` and the addresses it needs in `parameters`");
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

/** How to handle parameters that the type does not know. */
interface Unknowns {
  /** The stored parameters: a client may send them back unchanged. */
  readonly before?: Json | null;
  /** Whether every unknown parameter is rejected, not only a probable typo. */
  readonly isStrict?: boolean;
}

/** Rejects parameters that the type cannot use. Returns parameters and delivery as they will be stored. */
export function requireUsable(
  type: string,
  parameters: Json,
  delivery: Json,
  unknowns: Unknowns = {},
): { parameters: Json; delivery: Json } {
  if (!Object.hasOwn(TRIGGER_TYPES, type)) {
    const names = Object.keys(TRIGGER_TYPES).join(', ');
    throw invalid('notificationTrigger', [{ field: 'type', code: 'inclusion', message: `is not one of ${names}` }]);
  }
  const stored = { ...parameters };
  const known: TriggerType = TRIGGER_TYPES[type as keyof typeof TRIGGER_TYPES];
  const violations = unknownParameters(type, known, parameters, unknowns);
  for (const [name, schema] of Object.entries(known.parameters)) {
    const given = parameters[name];
    if (given === undefined || given === null) {
      if (!isOptional(schema)) violations.push(wrong('parameters', 'presence', `${name} can't be blank for ${type}`));
      continue;
    }
    const taken = take(schema, given);
    if (taken instanceof Wrong) violations.push(wrong('parameters', taken.code, `${name} ${taken.message}`));
    else stored[name] = taken;
  }
  if (known.oneOf?.every((name) => parameters[name] === undefined || parameters[name] === null)) {
    violations.push(wrong('parameters', 'presence', `${known.oneOf.join(' or ')} is needed for ${type}`));
  }
  const channels = take(deliverySchema, delivery);
  if (channels instanceof Wrong) violations.push(wrong('delivery', channels.code, channels.message));
  if (violations.length > 0) throw invalid('notificationTrigger', violations);
  return { parameters: stored, delivery: { ...delivery, ...(channels as Json) } };
}

/** Names that other services use for a parameter, which would have a different effect here. */
const MISLEADING: Readonly<Record<string, (known: TriggerType) => string>> = {
  geofenceId: ({ parameters }) => ('zoneId' in parameters ? ': did you mean zoneId?' : ''),
  unit: ({ parameters }) =>
    Object.entries(parameters)
      .flatMap(([name, { unit }]: [string, { unit?: string }]) => (unit === undefined ? [] : [`${name} is in ${unit}`]))
      .map((fact, index) => (index === 0 ? `: ${fact}` : `, ${fact}`))
      .join(''),
};

/**
 * Published clients store custom data as parameters. A key that resembles a parameter is rejected nevertheless: the
 * trigger would use the default of that parameter.
 */
function unknownParameters(
  type: string,
  known: TriggerType,
  parameters: Json,
  { before, isStrict = false }: Unknowns,
): Violation[] {
  const names = Object.keys(known.parameters);
  const violations: Violation[] = [];
  for (const [key, value] of Object.entries(parameters)) {
    if (names.includes(key) || ADDRESSES.includes(key)) continue;
    if (before && Object.hasOwn(before, key) && JSON.stringify(before[key]) === JSON.stringify(value)) continue;
    const shown = key.slice(0, 60);
    const meant = mistypedOf(shown, names);
    const hint = meant ? `: did you mean ${meant}?` : Object.hasOwn(MISLEADING, key) && MISLEADING[key]!(known);
    if (hint === false && !isStrict) continue;
    violations.push(wrong('parameters', 'unknown', `${shown} is not known for ${type}${hint || ''}`));
    if (violations.length === 20) break;
  }
  return violations;
}

const wrong = (field: string, code: string, message: string): Violation => ({ field, code, message });

/** TypeBox marks an optional schema with this property. */
const isOptional = (schema: object) => '~optional' in schema;

/**
 * Rejects a delivery that cannot work: by an unknown channel, or by one without an address. Stored values are accepted,
 * so that a client can send back what it read.
 */
export function requireDeliverable(wanted: Wanted, before?: Wanted): void {
  const violations: Violation[] = [];
  for (const [key, value] of Object.entries(wanted.delivery)) {
    if (DELIVERY_KEYS.includes(key) || value === false || value === null || isSame(value, before?.delivery[key]))
      continue;
    const message = `has ${key.slice(0, 60)}, which is not one of ${DELIVERY_KEYS.join(', ')}`;
    violations.push({ field: 'delivery', code: 'inclusion', message });
  }
  for (const channel of CHANNEL_KINDS) {
    const { address } = specOf(channel);
    if (address.from !== 'parameter' || address.isAccountByDefault || wanted.delivery[channel] !== true) continue;
    if (addressOf(channel, wanted) !== undefined) continue;
    if (before?.delivery[channel] === true && addressOf(channel, before) === undefined) continue;
    violations.push({
      field: 'parameters',
      code: 'presence',
      message: `${address.name} can't be blank for ${channel}`,
    });
  }
  if (violations.length > 0) throw invalid('notificationTrigger', violations);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
