import type { Violation } from '@trackway/contract/accept.ts';
import { invalidField } from '../../refusals.ts';
import type { ForwarderRow } from '../schema/tables.ts';
import { topicOf } from './envelopes/envelope.ts';
import { isQueueArn, NO_ARN } from './queues/queue-address.ts';
import { channelsOf, endpointOf, isMailAddress, mailAddressOf, queueOf, type Wanted } from './wanted-channels.ts';

/** Whether an address to call may be called: the end of a sentence about what is wrong with it, or undefined. */
export type CheckTarget = (address: string) => string | undefined;

const MOST_TOPIC = 200;

/** The target of a forwarder as it will be kept; refuses what can not be one. */
export function requireTarget(
  kind: ForwarderRow['kind'],
  sent: string | null | undefined,
  { userId, deviceId }: { userId: number; deviceId: number },
  check: CheckTarget,
): string {
  const target = sent ?? (kind === 'mqtt' ? topicOf(userId, deviceId) : undefined);
  if (target === undefined) throw invalidField('forwarder', 'target', 'presence', `can't be blank for ${kind}`);
  const wrong = kind === 'sqs' ? wrongArn(target) : kind === 'http' ? check(target) : wrongTopic(target, userId);
  if (wrong) throw invalidField('forwarder', 'target', 'format', wrong);
  return target;
}

const wrongArn = (target: string) => (isQueueArn(target) ? undefined : NO_ARN);

/** The broker is the operator's and everyone's: a user publishes below a topic of their own. */
function wrongTopic(topic: string, userId: number): string | undefined {
  const own = `users/${userId}/`;
  if (!topic.startsWith(own)) return `must begin with ${own}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have no place in a topic.
  if (/[+#\u0000-\u001f\u007f]/.test(topic) || topic.endsWith('/')) return 'is not a topic to publish to';
  return topic.length > MOST_TOPIC ? `must have at most ${MOST_TOPIC} characters` : undefined;
}

/** What is wrong with the addresses that a trigger gives to its channels. */
export function wrongAddresses(wanted: Wanted, check: CheckTarget): Violation[] {
  const channels = channelsOf(wanted);
  const found: [name: string, wrong: string | undefined][] = [];
  const [mail, endpoint, arn] = [mailAddressOf(wanted), endpointOf(wanted), queueOf(wanted)];
  if (channels.includes('email') && mail !== undefined && !isMailAddress(mail))
    found.push(['email', 'is not an e-mail address']);
  if (channels.includes('http') && endpoint !== undefined) found.push(['endpoint', check(endpoint)]);
  if (channels.includes('sqs') && arn !== undefined) found.push(['sqsArn', wrongArn(arn)]);
  const fieldOf = (name: string) => (name === 'sqsArn' && wanted.delivery.sqsArn ? 'delivery' : 'parameters');
  return found.flatMap(([name, wrong]) =>
    wrong ? [{ field: fieldOf(name), code: 'format', message: `${name} ${wrong}` }] : [],
  );
}
