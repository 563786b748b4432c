import { take, type Violation, Wrong } from '@trackway/contract/accept.ts';
import { deliverySchema } from '@trackway/contract/channels.ts';
import { TRIGGER_TYPES, type TriggerType } from '@trackway/contract/triggers.ts';
import { invalid } from '../../refusals.ts';

type Json = Record<string, unknown>;

/** Whether a trigger of this type can work with these parameters, and both as they will be kept. */
export function requireUsable(type: string, parameters: Json, delivery: Json): { parameters: Json; delivery: Json } {
  if (!Object.hasOwn(TRIGGER_TYPES, type)) {
    const known = Object.keys(TRIGGER_TYPES).join(', ');
    throw invalid('notificationTrigger', [{ field: 'type', code: 'inclusion', message: `is not one of ${known}` }]);
  }
  const violations: Violation[] = [];
  const kept = { ...parameters };
  const kind: TriggerType = TRIGGER_TYPES[type as keyof typeof TRIGGER_TYPES];
  for (const [name, schema] of Object.entries(kind.parameters)) {
    const given = parameters[name];
    if (given === undefined || given === null) {
      if (!isOptional(schema)) violations.push(wrong('parameters', 'presence', `${name} can't be blank for ${type}`));
      continue;
    }
    const taken = take(schema, given);
    if (taken instanceof Wrong) violations.push(wrong('parameters', taken.code, `${name} ${taken.message}`));
    else kept[name] = taken;
  }
  if (kind.oneOf?.every((name) => parameters[name] === undefined || parameters[name] === null)) {
    violations.push(wrong('parameters', 'presence', `${kind.oneOf.join(' or ')} is needed for ${type}`));
  }
  const channels = take(deliverySchema, delivery);
  if (channels instanceof Wrong) violations.push(wrong('delivery', channels.code, channels.message));
  if (violations.length > 0) throw invalid('notificationTrigger', violations);
  return { parameters: kept, delivery: { ...delivery, ...(channels as Json) } };
}

const wrong = (field: string, code: string, message: string): Violation => ({ field, code, message });

/** TypeBox marks what may be absent with a property of its own. */
const isOptional = (schema: object) => '~optional' in schema;
