import { randomUUID } from 'node:crypto';
import type { SendMessageBatchCommandOutput, SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { UNPROVEN_QUEUE } from '@trackway/contract/queue-arn.ts';
import { timeNow } from '../../platform/clock.ts';
import { within } from '../../platform/deadline.ts';
import type { Channel, Content, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition, ChannelParts } from './definition.ts';
import { hasCredentials, NO_CREDENTIALS } from './sqs-credentials.ts';
import { isFaultOfAMessage, outcomeOfEntry, outcomeOfError, type SdkError } from './sqs-outcome.ts';
import { isAllowed, type Queue, queueOf } from './sqs-queue.ts';

interface SqsSettings {
  readonly sqsEndpoint: string;
  readonly sqsAllow: string;
}

/** Sends to queues of SQS, by the real SDK. The outbox does the retries, so the SDK does none. */
export const sqs: ChannelDefinition<SqsSettings> = {
  setup({ sqsEndpoint, sqsAllow }, environment) {
    if (!hasCredentials(environment)) return { missing: NO_CREDENTIALS, isBegun: sqsEndpoint !== '' };
    const isAny = sqsAllow.split(/[\s,]+/).includes('*');
    return {
      missing: null,
      about:
        sqsAllow.trim() === ''
          ? 'Users can forward data to queues that they have proven to be theirs.'
          : `Users can forward data to the queues ${sqsAllow}, and to those that they have proven to be theirs.`,
      ...(isAny ? { warning: TOO_WIDE } : {}),
    };
  },
  open: ({ sqsEndpoint, sqsAllow }, { queueRight }) =>
    sqsChannel({ endpoint: sqsEndpoint, allow: sqsAllow, queueRight }),
};

/** Sends a message to a queue that nobody has proven yet. */
export function proofSender({ sqsEndpoint }: SqsSettings): {
  send(arn: string, text: string): Promise<SendOutcome>;
  close(): Promise<void>;
} {
  const channel = sqsChannel({ endpoint: sqsEndpoint, allow: '*' });
  return {
    async send(target, text) {
      const content = { text, type: 'application/json' };
      const messageId = randomUUID();
      const parcel = { id: 0, messageId, group: messageId, address: null, content, createdAt: timeNow() };
      const none = new AbortController().signal;
      const [outcome] = await channel.send({ id: 0, target, secrets: [] }, [parcel], none);
      return outcome!;
    },
    close: () => channel.close(),
  };
}

const NEITHER = `${UNPROVEN_QUEUE}, and the operator does not allow it: TRACKWAY_SQS_ALLOW does not name it.`;

const TOO_WIDE =
  'Users can forward data to every queue that your AWS credentials can write to. List the allowed queues in TRACKWAY_SQS_ALLOW.';

export interface SqsOptions {
  /** Of an SQS-compatible server; AWS itself where it is empty. */
  readonly endpoint: string;
  /** Patterns of ARNs that may be used. */
  readonly allow: string;
  /** By default, every user has only named their queues. */
  readonly queueRight?: ChannelParts['queueRight'];
  readonly deadlineMs?: number;
  /** In the place of the SDK's own chain. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const MAX_BATCH = 10;
const MAX_BYTES = 262_144;
/** Regions come from ARNs that users give: at most this many of them have a client. */
const MAX_CLIENTS = 32;
/** Below the idle time of common servers, since an idle connection that breaks would count as a failure. */
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
    // The fault of one message must not fail the others of its batch.
    if (parcels.length > 1 && isFaultOfAMessage(error)) {
      return oneAfterAnother(parcels, (parcel) => sendBatch(queue, [parcel], signal));
    }
    const outcome = /CredentialsProviderError|TokenProviderError/.test(error.name ?? '')
      ? withoutCredentials()
      : outcomeOfError(error, timeNow());
    return parcels.map(() => outcome);
  }

  /** Credentials that worked before will come back; where there never were any, nobody has set them up. */
  const withoutCredentials = (): SendOutcome =>
    hadCredentials || hasCredentials()
      ? { kind: 'down', reason: "The server's AWS credentials are not available at the moment." }
      : { kind: 'unconfigured', reason: NO_CREDENTIALS };

  return {
    batch: MAX_BATCH,
    concurrency: 4,
    isOrdered: (target) => target.endsWith('.fifo'),
    async send({ id, target }, parcels, breakOff) {
      const all = (outcome: SendOutcome) => parcels.map(() => outcome);
      const queue = queueOf(target, endpoint);
      if (queue === undefined) return all({ kind: 'refused', reason: 'The address is not the ARN of a queue.' });
      const right = await queueRight(id);
      if (right === 'held') return all({ kind: 'unconfigured', reason: 'The queue belongs to another account.' });
      if (right === 'named' && !isAllowed(target, allow)) return all({ kind: 'unconfigured', reason: NEITHER });
      // The first use imports the SDK, which takes time that is not the queue's.
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
 * Queues refuse a few characters, U+FFFF among them, and some servers all beyond the basic plane. In JSON each can be
 * written as an escape, which means the same to whoever parses it.
 */
function bodyOf({ text }: Content): string {
  if (!/^[{["]/.test(text)) return text;
  return text.replaceAll(/[\ud800-\udfff\ufffe\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}

/** At most ten together, and no more bytes than a request may have. */
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

/** One after another, since in a queue that keeps order a later one must not overtake. */
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

/** The SDK stops waiting for an answer, but not for the rest of one that has begun. */
function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
