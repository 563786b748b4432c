import {
  ADDRESS_PARAMETERS,
  CHANNEL_KINDS,
  type Channel,
  DEFAULT_DELIVERY,
  specOf,
} from '@trackway/contract/channels.ts';
import { TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Trigger } from '../api/triggers.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the form of a trigger holds. Parameters are as the API has them, in its units. */
export interface TriggerDraft {
  readonly deviceId: number | undefined;
  readonly type: TriggerTypeName | undefined;
  readonly name: string;
  readonly parameters: Json;
  readonly ways: Readonly<Record<Channel, boolean>>;
  /** What each channel is given as its address, as it was typed. */
  readonly addresses: Readonly<Partial<Record<Channel, string>>>;
  /** Whether webhooks and queues get plain JSON, without its envelope. */
  readonly isPlain: boolean;
  readonly muteFor: number;
}

export const isKnownType = (type: string): type is TriggerTypeName => Object.hasOwn(TRIGGER_TYPES, type);

const NO_WAYS = Object.fromEntries(CHANNEL_KINDS.map((way) => [way, false])) as Record<Channel, boolean>;
const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
/** Of each channel that has one, the parameter that holds its address. */
const PARAMETERS = Object.entries(ADDRESS_PARAMETERS) as [Channel, string][];
const NAMES = PARAMETERS.map(([, name]) => name);

/** All but those that hold addresses, and the form of messages. */
const without = (values: Json) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !NAMES.includes(name) && name !== 'raw'));

/** Whether one of these ways can send an envelope, or plain JSON. */
export const hasForms = (ways: Json) =>
  CHANNEL_KINDS.some((way) => ways[way] === true && specOf(way).form === 'envelope');

export function draftOfTrigger(trigger: Trigger): TriggerDraft {
  const { delivery } = trigger;
  const parameters: Json = trigger.parameters ?? {};
  return {
    deviceId: trigger.deviceId,
    type: isKnownType(trigger.type) ? trigger.type : undefined,
    name: trigger.name === trigger.type ? '' : trigger.name,
    parameters: without(parameters),
    ways: { ...NO_WAYS, ...Object.fromEntries(CHANNEL_KINDS.map((way) => [way, delivery[way] === true])) },
    addresses: Object.fromEntries(
      PARAMETERS.map(([way, name]) => [way, textOf(delivery[name]) || textOf(parameters[name])]),
    ),
    // A webhook that is added here is a new one.
    isPlain: delivery.raw === true || !hasForms(delivery),
    muteFor: trigger.muteFor,
  };
}

export const newDraft = (
  deviceId: number | undefined,
  type: TriggerTypeName | undefined,
  parameters: Json,
): TriggerDraft => ({
  deviceId,
  type,
  name: '',
  parameters,
  ways: { ...NO_WAYS, ...DEFAULT_DELIVERY },
  addresses: {},
  isPlain: true,
  muteFor: 0,
});

/** Only what the type knows goes along when it is changed. */
export function withType(draft: TriggerDraft, type: TriggerTypeName): TriggerDraft {
  const known = Object.keys(TRIGGER_TYPES[type].parameters);
  const kept = Object.fromEntries(Object.entries(draft.parameters).filter(([name]) => known.includes(name)));
  return { ...draft, type, parameters: kept };
}

/** The body to send. An address goes along only where its channel is chosen. */
export function bodyOfDraft(draft: TriggerDraft, before: Trigger | undefined) {
  const { ways, addresses } = draft;
  const typed = PARAMETERS.map(([way, name]) => [name, ways[way] ? (addresses[way] ?? '').trim() : '']);
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

/** What was typed and taken out again is not there. */
export const given = (parameters: Json) =>
  Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

/** Whether the parameters that the type needs are there. */
export function isWhole({ type, parameters }: TriggerDraft): boolean {
  if (type === undefined) return false;
  const kind: TriggerType = TRIGGER_TYPES[type];
  const there = given(parameters);
  const needed = Object.entries(kind.parameters).filter(([, schema]) => !('~optional' in schema));
  return (
    needed.every(([name]) => name in there) && (kind.oneOf === undefined || kind.oneOf.some((name) => name in there))
  );
}
