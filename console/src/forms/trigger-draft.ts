import {
  ADDRESS_PARAMETERS,
  CHANNEL_KINDS,
  type Channel,
  SECRET_PARAMETERS,
  specOf,
} from '@trackway/contract/channels.ts';
import { TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Trigger } from '../api/triggers.ts';

type Json = Readonly<Record<string, unknown>>;

/** The form state of a trigger. Parameters are as in the API, in its units. */
export interface TriggerDraft {
  readonly type: TriggerTypeName | undefined;
  readonly name: string;
  readonly parameters: Json;
  readonly ways: Readonly<Record<Channel, boolean>>;
  /** The address of each channel, as typed. */
  readonly addresses: Readonly<Partial<Record<Channel, string>>>;
  /** The secrets of addresses, as typed. Stored ones are not known here. */
  readonly secrets?: Readonly<Partial<Record<Channel, string>>>;
  /** Whether webhooks and queues get plain JSON, without the envelope. */
  readonly isPlain: boolean;
  readonly muteFor: number;
}

export const isKnownType = (type: string): type is TriggerTypeName => Object.hasOwn(TRIGGER_TYPES, type);

const NO_WAYS = Object.fromEntries(CHANNEL_KINDS.map((way) => [way, false])) as Record<Channel, boolean>;
const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
/** The parameter that contains the address, for each channel that has one. */
const PARAMETERS = Object.entries(ADDRESS_PARAMETERS) as [Channel, string][];
const SECRETS = Object.entries(SECRET_PARAMETERS) as [Channel, string][];
const NAMES = PARAMETERS.map(([, name]) => name);

/** All parameters except addresses and the message format. */
const without = (values: Json) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !NAMES.includes(name) && name !== 'raw'));

/** Whether one of these channels supports both the envelope and plain JSON. */
export const hasForms = (ways: Json) =>
  CHANNEL_KINDS.some((way) => ways[way] === true && specOf(way).form === 'envelope');

/** What triggers and rules have in common. */
type Watching = Pick<Trigger, 'type' | 'name' | 'parameters' | 'delivery' | 'muteFor'>;

export function draftOf(trigger: Watching): TriggerDraft {
  const { delivery } = trigger;
  const parameters: Json = trigger.parameters ?? {};
  return {
    type: isKnownType(trigger.type) ? trigger.type : undefined,
    name: trigger.name === trigger.type ? '' : trigger.name,
    parameters: without(parameters),
    ways: { ...NO_WAYS, ...Object.fromEntries(CHANNEL_KINDS.map((way) => [way, delivery[way] === true])) },
    addresses: Object.fromEntries(
      PARAMETERS.map(([way, name]) => [way, textOf(delivery[name]) || textOf(parameters[name])]),
    ),
    // A webhook that is added here is new.
    isPlain: delivery.raw === true || !hasForms(delivery),
    muteFor: trigger.muteFor,
  };
}

export const newDraft = (
  type: TriggerTypeName | undefined,
  parameters: Json,
  ways: Partial<Record<Channel, boolean>> = {},
): TriggerDraft => ({
  type,
  name: '',
  parameters,
  ways: { ...NO_WAYS, ...ways },
  addresses: {},
  isPlain: true,
  muteFor: 0,
});

/** When the type changes, only parameters of the new type are kept. */
export function withType(draft: TriggerDraft, type: TriggerTypeName): TriggerDraft {
  const known = Object.keys(TRIGGER_TYPES[type].parameters);
  const kept = Object.fromEntries(Object.entries(draft.parameters).filter(([name]) => known.includes(name)));
  return { ...draft, type, parameters: kept };
}

/** The request body. An address is included only if its channel is selected. */
export function bodyOfDraft(draft: TriggerDraft, before: Watching | undefined) {
  const { ways, addresses, secrets = {} } = draft;
  const typed = [
    ...PARAMETERS.map(([way, name]) => [name, ways[way] ? (addresses[way] ?? '').trim() : '']),
    ...SECRETS.map(([way, name]) => [name, ways[way] ? (secrets[way] ?? '').trim() : '']),
  ];
  return {
    type: draft.type!,
    name: draft.name.trim() || draft.type!,
    parameters: {
      ...given(draft.parameters),
      ...Object.fromEntries(typed.filter(([, address]) => address !== '')),
    },
    delivery: { ...without(before?.delivery ?? {}), ...ways, ...(draft.isPlain && hasForms(ways) && { raw: true }) },
    muteFor: draft.muteFor,
  };
}

/** Parameters that were typed and cleared again are removed. */
export const given = (parameters: Json) =>
  Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

/** Whether all required parameters are set. */
export function isWhole({ type, parameters }: TriggerDraft): boolean {
  if (type === undefined) return false;
  const kind: TriggerType = TRIGGER_TYPES[type];
  const there = given(parameters);
  const needed = Object.entries(kind.parameters).filter(([, schema]) => !('~optional' in schema));
  return (
    needed.every(([name]) => name in there) && (kind.oneOf === undefined || kind.oneOf.some((name) => name in there))
  );
}
