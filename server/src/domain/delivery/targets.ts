import type { Violation } from '@trackway/contract/accept.ts';
import { CHANNEL_KINDS, type Channel, type MachineChannel, specOf } from '@trackway/contract/channels.ts';
import type { DestinationAddress } from '../../platform/outbox/destinations.ts';
import { invalidField } from '../../refusals.ts';
import type { Tx } from '../schema/tables.ts';
import { topicOf } from './presented.ts';
import { type Asking, holdQueue } from './queue-holders.ts';

/** The channels of a trigger, and the addresses it gives them. */
export interface Wanted {
  readonly delivery: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface GivenAddress {
  /** Where the trigger holds it. */
  readonly field: 'delivery' | 'parameters';
  readonly name: string;
  readonly value: string;
}

export const channelsOf = (wanted: Wanted): Channel[] =>
  CHANNEL_KINDS.filter(
    (channel) =>
      wanted.delivery[channel] === true ||
      (wanted.delivery[channel] !== false && addressOf(channel, wanted)?.field === 'delivery'),
  );

/** The address that a trigger gives to a channel. */
export function addressOf(channel: Channel, { delivery, parameters }: Wanted): GivenAddress | undefined {
  const { address } = specOf(channel);
  if (address.from !== 'parameter') return undefined;
  const { name } = address;
  const inDelivery = address.isInDelivery ? textOf(delivery[name]) : undefined;
  if (inDelivery !== undefined) return { field: 'delivery', name, value: inDelivery };
  const value = textOf(parameters[name]);
  return value === undefined ? undefined : { field: 'parameters', name, value };
}

/** Some addresses are numbers, which a client may send as such. */
function textOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The end of a sentence about what is wrong with the form of an address; undefined where nothing is. */
export function wrongForm(channel: Channel, address: string): string | undefined {
  const { addressForm } = specOf(channel);
  if (addressForm === undefined || addressForm === 'url') return undefined;
  return addressForm.pattern.test(address) ? undefined : addressForm.wrong;
}

/** Whether an address to call may be called: the end of a sentence about what is wrong with it, or undefined. */
export type CheckTarget = (address: string) => string | undefined;

const MAX_TOPIC_LENGTH = 200;

/** The target of a forwarder as it will be stored; refuses what cannot be one. */
export function requireTarget(
  kind: MachineChannel,
  sent: string | null | undefined,
  { userId, deviceId }: { userId: number; deviceId: number },
  check: CheckTarget,
): string {
  const isTopic = specOf(kind).address.from === 'topic';
  const target = sent ?? (isTopic ? topicOf(userId, deviceId) : undefined);
  if (target === undefined) throw invalidField('forwarder', 'target', 'presence', `can't be blank for ${kind}`);
  const wrong = isTopic ? wrongTopic(target, userId) : wrongAddress(kind, target, check);
  if (wrong) throw invalidField('forwarder', 'target', 'format', wrong);
  return target;
}

const wrongAddress = (channel: Channel, address: string, check: CheckTarget) =>
  wrongForm(channel, address) ?? (isUrl(channel, address) ? check(address) : undefined);

/** Whether an address is called itself. Topics of ntfy are names or addresses. */
const isUrl = (channel: Channel, address: string) => specOf(channel).addressForm === 'url' || /^https?:/i.test(address);

/** All users share the operator's broker, so each publishes below a topic of their own. */
function wrongTopic(topic: string, userId: number): string | undefined {
  const own = `users/${userId}/`;
  if (!topic.startsWith(own)) return `must begin with ${own}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a topic.
  if (/[+#\u0000-\u001f\u007f]/.test(topic) || topic.endsWith('/')) return 'is not a topic to publish to';
  return topic.length > MAX_TOPIC_LENGTH ? `must have at most ${MAX_TOPIC_LENGTH} characters` : undefined;
}

/** What is wrong with the addresses that a trigger gives to its channels. */
export function wrongAddresses(wanted: Wanted, check: CheckTarget): Violation[] {
  return channelsOf(wanted).flatMap((channel) => {
    const given = addressOf(channel, wanted);
    const wrong = given && wrongAddress(channel, given.value, check);
    return wrong ? [{ field: given.field, code: 'format', message: `${given.name} ${wrong}` }] : [];
  });
}

/** Addresses of a trigger that belong to another account. Unclaimed addresses become the user's. */
export async function addressesOfOthers(tx: Tx, wanted: Wanted, user: Asking, now: number): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const channel of channelsOf(wanted)) {
    const given = addressOf(channel, wanted);
    if (given === undefined || !specOf(channel).isHeld) continue;
    const held = await holdQueue(tx, given.value, user, now);
    if (held) violations.push({ field: given.field, code: 'held', message: `${given.name} ${held}` });
  }
  return violations;
}

/**
 * The destination that an address of a channel leads to. The operator's mail server and broker serve all users and
 * belong to none of them. Elsewhere the address itself is the destination, one for each user, so that what goes wrong
 * for one user never holds up another.
 */
export function destinationOf(kind: Channel, address: string, userId: number): DestinationAddress {
  const { server, isSigned = false } = specOf(kind);
  return server === undefined
    ? { kind, target: address, ownerId: userId, isSigned }
    : { kind, target: server, ownerId: null, isSigned };
}
