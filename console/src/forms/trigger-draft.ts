import { CHANNELS, type Channel, DEFAULT_DELIVERY } from '@trackway/contract/channels.ts';
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
  readonly email: string;
  readonly endpoint: string;
  readonly sqsArn: string;
  readonly muteFor: number;
}

export const isKnownType = (type: string): type is TriggerTypeName => Object.hasOwn(TRIGGER_TYPES, type);

const NO_WAYS = Object.fromEntries(CHANNELS.map((way) => [way, false])) as Record<Channel, boolean>;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

export function draftOfTrigger(trigger: Trigger): TriggerDraft {
  const { email, endpoint, sqsArn, ...parameters } = trigger.parameters ?? {};
  const { delivery } = trigger;
  return {
    deviceId: trigger.deviceId,
    type: isKnownType(trigger.type) ? trigger.type : undefined,
    name: trigger.name === trigger.type ? '' : trigger.name,
    parameters,
    ways: { ...NO_WAYS, ...Object.fromEntries(CHANNELS.map((way) => [way, delivery[way] === true])) },
    email: textOf(email),
    endpoint: textOf(endpoint),
    sqsArn: textOf(delivery.sqsArn) || textOf(sqsArn),
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
  email: '',
  endpoint: '',
  sqsArn: '',
  muteFor: 0,
});

/** Only what the type knows goes along when it is changed. */
export function withType(draft: TriggerDraft, type: TriggerTypeName): TriggerDraft {
  const known = Object.keys(TRIGGER_TYPES[type].parameters);
  const kept = Object.fromEntries(Object.entries(draft.parameters).filter(([name]) => known.includes(name)));
  return { ...draft, type, parameters: kept };
}

/** The body to send. Addresses stay only with the way that needs them. */
export function bodyOfDraft(draft: TriggerDraft, before: Trigger | undefined) {
  const { ways, email, endpoint, sqsArn } = draft;
  const { sqsArn: _, ...delivery } = before?.delivery ?? {};
  return {
    type: draft.type!,
    name: draft.name.trim() || draft.type!,
    parameters: {
      ...given(draft.parameters),
      ...(ways.email && email.trim() && { email: email.trim() }),
      ...(ways.http && { endpoint: endpoint.trim() }),
      ...(ways.sqs && { sqsArn: sqsArn.trim() }),
    },
    delivery: { ...delivery, ...ways },
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
