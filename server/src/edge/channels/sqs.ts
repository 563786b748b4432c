import { randomUUID } from 'node:crypto';
import type { SendMessageBatchCommandOutput, SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { UNPROVEN_CODE, UNPROVEN_QUEUE } from '@trackway/contract/queue-arn.ts';
import { because } from '../../platform/because.ts';
import { timeNow } from '../../platform/clock.ts';
import { within } from '../../platform/deadline.ts';
import type { Channel, Content, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition, ChannelParts } from './definition.ts';
import {
  hasCredentials,
  isAllowed,
  isFaultOfAMessage,
  NO_CREDENTIALS,
  outcomeOfEntry,
  outcomeOfError,
  type Queue,
  queueOf,
  type SdkError,
} from './sqs-outcome.ts';

interface SqsSettings {
  readonly sqsEndpoint: string;
  readonly sqsAllow: string;
  readonly sqsAccessKeyId: string;
  readonly sqsSecretAccessKey: string;
}

/** Sends to SQS queues with the AWS SDK. The outbox retries, so the SDK does not. */
export const sqs: ChannelDefinition<SqsSettings> = {
  setup({ sqsEndpoint, sqsAllow, ...keys }, environment) {
    if (credentialsOf(keys) === undefined && !hasCredentials(environment))
      return { missing: NO_CREDENTIALS, isBegun: sqsEndpoint !== '' };
    const isAny = sqsAllow.split(/[\s,]+/).includes('*');
    return {
      missing: null,
      about:
        sqsAllow.trim() === ''
          ? 'Users can forward data to queues that they have verified.'
          : `Users can forward data to the queues ${sqsAllow}, and to queues that they have verified.`,
      ...(isAny ? { warning: TOO_WIDE } : {}),
    };
  },
  open: ({ sqsEndpoint, sqsAllow, ...keys }, { queueRight }) =>
    sqsChannel({ endpoint: sqsEndpoint, allow: sqsAllow, queueRight, credentials: credentialsOf(keys) }),
};

const credentialsOf = ({ sqsAccessKeyId, sqsSecretAccessKey }: Omit<SqsSettings, 'sqsEndpoint' | 'sqsAllow'>) =>
  sqsAccessKeyId === '' || sqsSecretAccessKey === ''
    ? undefined
    : { accessKeyId: sqsAccessKeyId, secretAccessKey: sqsSecretAccessKey };

/** Sends a message to a queue whose ownership is not proven yet. */
export function proofSender(settings: SqsSettings): { send(arn: string, text: string): Promise<SendOutcome> } {
  return {
    async send(target, text) {
      // Rare, so that each opens a channel of its own, with the current settings.
      const channel = sqsChannel({ endpoint: settings.sqsEndpoint, allow: '*', credentials: credentialsOf(settings) });
      const content = { text, type: 'application/json' };
      const messageId = randomUUID();
      const parcel = { id: 0, messageId, group: messageId, address: null, content, createdAt: timeNow() };
      const none = new AbortController().signal;
      const [outcome] = await channel.send({ id: 0, target, secrets: [] }, [parcel], none);
      await channel.close();
      return outcome!;
    },
  };
}

const UNPROVEN_DETAILS = JSON.stringify({ code: UNPROVEN_CODE });
const NEITHER = `${UNPROVEN_QUEUE}, and the operator does not allow it: TRACKWAY_SQS_ALLOW does not name it.`;

const TOO_WIDE =
  'Users can forward data to every queue that your AWS credentials can write to. List the allowed queues in TRACKWAY_SQS_ALLOW.';

interface SqsOptions {
  /** The endpoint of an SQS-compatible server; empty for AWS. */
  readonly endpoint: string;
  /** Patterns of allowed ARNs. */
  readonly allow: string;
  /** By default, users have only named their queues. */
  readonly queueRight?: ChannelParts['queueRight'];
  readonly deadlineMs?: number;
  /** Replaces the SDK's own chain of credential providers. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

const MAX_BATCH = 10;
const MAX_BYTES = 262_144;
/** Regions come from ARNs that users specify: maximum number of regions with a client. */
const MAX_CLIENTS = 32;
/** Shorter than the idle time of common servers, since a broken idle connection would count as a failure. */
const IDLE_MS = 4000;

const NAMED: ChannelParts['queueRight'] = async () => 'named';

export function sqsChannel(options: SqsOptions): Channel {
  const { endpoint, allow, queueRight = NAMED, deadlineMs = 10_000, credentials } = options;
  const clients = new Map<string, Promise<SQSClient>>();
  let hadCredentials = false;

  function clientOf(region: string): Promise<SQSClient> {
    const known = clients.get(region);
    if (known !== undefined) return known;
    const [oldest] = clients.keys();
    if (clients.size >= MAX_CLIENTS && oldest !== undefined) {
      clients.get(oldest)?.then((client) => client.destroy());
      clients.delete(oldest);
    }
    const made = makeClient(region, { endpoint, deadlineMs, credentials });
    clients.set(region, made);
    return made;
  }

  async function sendBatch(queue: Queue, parcels: readonly Parcel[], signal: AbortSignal): Promise<SendOutcome[]> {
    try {
      const { SendMessageBatchCommand } = await import('@aws-sdk/client-sqs');
      const client = await clientOf(queue.region);
      const entries = parcels.map((parcel, i) => entryOf(parcel, String(i), queue.isFifo));
      const command = new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: entries });
      const answer = await inTime(client.send(command, { abortSignal: signal }), signal);
      hadCredentials = true;
      return parcels.map((_, i) => outcomeIn(answer, String(i)));
    } catch (error) {
      return failed(queue, parcels, error as SdkError, signal);
    }
  }

  async function failed(queue: Queue, parcels: readonly Parcel[], error: SdkError, signal: AbortSignal) {
    // An error caused by one message must not fail the others of its batch.
    if (parcels.length > 1 && isFaultOfAMessage(error)) {
      return oneAfterAnother(parcels, (parcel) => sendBatch(queue, [parcel], signal));
    }
    const outcome = /CredentialsProviderError|TokenProviderError/.test(error.name ?? '')
      ? withoutCredentials()
      : outcomeOfError(error, timeNow());
    return parcels.map(() => outcome);
  }

  /** Credentials that worked before will come back; if there never were any, they are not configured. */
  const withoutCredentials = (): SendOutcome =>
    hadCredentials || hasCredentials()
      ? { kind: 'down', reason: "The server's AWS credentials are not available at the moment." }
      : { kind: 'unconfigured', ...because('queuesNotConfigured') };

  return {
    batch: MAX_BATCH,
    concurrency: 4,
    isOrdered: (target) => target.endsWith('.fifo'),
    async send({ id, target }, parcels, breakOff) {
      const all = (outcome: SendOutcome) => parcels.map(() => outcome);
      const queue = queueOf(target, endpoint);
      if (queue === undefined) return all({ kind: 'refused', reason: 'The address is not the ARN of a queue.' });
      const right = await queueRight(id);
      if (right === 'held') return all({ kind: 'unconfigured', ...because('queueOfOther') });
      if (right === 'named' && !isAllowed(target, allow))
        return all({ kind: 'unconfigured', reason: NEITHER, reasonDetails: UNPROVEN_DETAILS });
      // The first use imports the SDK, which must not count against the queue's deadline.
      await clientOf(queue.region);
      return within(breakOff, deadlineMs, (signal) =>
        oneAfterAnother(batchesOf(parcels), (batch) =>
          sizeOf(batch[0]!) > MAX_BYTES
            ? [{ kind: 'refused', reason: `The message is too large: a queue takes at most ${MAX_BYTES / 1024} kB.` }]
            : sendBatch(queue, batch, signal),
        ),
      );
    },
    async close() {
      for (const client of clients.values()) await client.then((made) => made.destroy()).catch(() => {});
      clients.clear();
    },
  };
}

async function makeClient(region: string, options: Omit<SqsOptions, 'allow'>): Promise<SQSClient> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const { endpoint, deadlineMs = 0, credentials } = options;
  const pool = { keepAlive: true, maxSockets: 64, timeout: IDLE_MS };
  return new SQSClient({
    region,
    ...(endpoint === '' ? {} : { endpoint }),
    ...(credentials ? { credentials } : {}),
    useQueueUrlAsEndpoint: false,
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: Math.min(5000, deadlineMs),
      requestTimeout: deadlineMs,
      throwOnRequestTimeout: true,
      httpAgent: pool,
      httpsAgent: pool,
    },
  });
}

function entryOf({ messageId, group, content }: Parcel, Id: string, isFifo: boolean): SendMessageBatchRequestEntry {
  const entry = { Id, MessageBody: bodyOf(content) };
  return isFifo ? { ...entry, MessageGroupId: group, MessageDeduplicationId: messageId } : entry;
}

const sizeOf = ({ content }: Parcel) => Buffer.byteLength(bodyOf(content));

/**
 * Queues reject a few characters, U+FFFF among them, and some servers all characters outside the basic plane. JSON can
 * escape each of them without changing its meaning.
 */
function bodyOf({ text }: Content): string {
  if (!/^[{["]/.test(text)) return text;
  return text.replaceAll(/[\ud800-\udfff\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** At most ten messages, and at most the maximum size of a request. */
function batchesOf(parcels: readonly Parcel[]): Parcel[][] {
  const batches: Parcel[][] = [];
  let bytes = 0;
  for (const parcel of parcels) {
    const size = sizeOf(parcel);
    const last = batches.at(-1);
    if (last === undefined || last.length === MAX_BATCH || bytes + size > MAX_BYTES) {
      batches.push([parcel]);
      bytes = size;
    } else {
      last.push(parcel);
      bytes += size;
    }
  }
  return batches;
}

/** One after another, because a later message must not overtake in a FIFO queue. */
async function oneAfterAnother<T>(
  items: readonly T[],
  send: (item: T) => readonly SendOutcome[] | Promise<readonly SendOutcome[]>,
): Promise<SendOutcome[]> {
  const outcomes: SendOutcome[] = [];
  for (const item of items) outcomes.push(...(await send(item)));
  return outcomes;
}

function outcomeIn({ Successful = [], Failed = [] }: SendMessageBatchCommandOutput, id: string): SendOutcome {
  if (Successful.some(({ Id }) => Id === id)) return { kind: 'sent' };
  const failed = Failed.find(({ Id }) => Id === id);
  if (failed) return outcomeOfEntry(failed);
  return { kind: 'down', reason: 'The queue did not confirm the message.', isUnclear: true };
}

/** The SDK's timeout covers the wait for a response, but not the transfer of a response that has started. */
function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
