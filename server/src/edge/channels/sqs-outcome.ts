import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { QUEUE_ARN } from '@trackway/contract/queue-arn.ts';
import { because } from '../../platform/because.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { oneLine, retryAfter } from './http-outcome.ts';

/** The meaning of a queue's responses and failures for a parcel. */

/** A rejected entry of a batch, as the SDK reports it. */
interface FailedEntry {
  readonly SenderFault?: boolean;
  readonly Code?: string;
  readonly Message?: string;
}

/** Errors caused by a message, not by the queue, its policy or its keys. */
const OF_A_MESSAGE =
  /^(InvalidMessageContents|InvalidParameterValue|MissingParameter|InvalidAttributeValue|UnsupportedOperation|BatchRequestTooLong|InvalidBatchEntryId|MessageTooLong)/;

/** Errors that the service attributes to the sender, although the message did not cause them. */
const OF_THE_QUEUE = /AccessDenied|Throttl|Kms|OverLimit|NonExistentQueue|QueueDoesNotExist/i;

export function outcomeOfEntry({ SenderFault, Code = '', Message = '' }: FailedEntry): SendOutcome {
  const why = because('queueRejected', { answer: oneLine(`${Code} ${Message}`) });
  return { kind: SenderFault && !OF_THE_QUEUE.test(Code) ? 'refused' : 'down', ...why };
}

/** An SDK error: of the service, the credentials or the connection. */
export interface SdkError {
  readonly name?: string;
  readonly message?: string;
  /** A name of a system error, or a number of a platform error. */
  readonly code?: string | number;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number; readonly headers?: Record<string, string> };
}

const simpleName = (error: SdkError) => (error.name ?? '').replace(/^.*[.#]/, '');

export const isFaultOfAMessage = (error: SdkError) => OF_A_MESSAGE.test(simpleName(error));

/** Errors that prove that nothing reached the queue. */
const NOT_REACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [
    /^AccessDenied/,
    "The queue denies access: its policy, or the one of the server's credentials, must allow sqs:SendMessage",
  ],
  [/^(QueueDoesNotExist|NonExistentQueue)/, 'The queue does not exist'],
  [
    /^(InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|ExpiredToken)/,
    "AWS rejects the server's credentials",
  ],
  [/Throttl|^OverLimit|^TooManyRequests/, 'The queue receives too many requests'],
];

export function outcomeOfError(error: SdkError, now: number): SendOutcome {
  const name = simpleName(error);
  const status = error.$metadata?.httpStatusCode ?? error.$response?.statusCode;
  if (isFaultOfAMessage(error)) {
    return { kind: 'refused', ...because('queueRejected', { answer: oneLine(`${name} ${error.message ?? ''}`) }) };
  }
  if (status === undefined) return outcomeOfConnection(error);
  const sentence =
    SENTENCES.find(([pattern]) => pattern.test(name))?.[1] ?? 'The queue does not accept messages at the moment';
  const retryAfterMs = retryAfter(error.$response?.headers?.['retry-after'], now);
  return {
    kind: 'down',
    reason: `${sentence} (${oneLine(`${status} ${name}`)}).`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // An unreadable success or an internal failure: the message may have been accepted.
    ...(status < 400 || status === 500 || status === 502 || status === 504 ? { isUnclear: true } : {}),
  };
}

function outcomeOfConnection(error: SdkError): SendOutcome {
  const code = typeof error.code === 'string' ? error.code : '';
  const isClear = NOT_REACHED.includes(code) || /did not establish a connection/.test(error.message ?? '');
  if (isClear) return { kind: 'down', ...because('queueUnreachable', { error: code }) };
  if (error.name === 'AbortError') return { kind: 'down', ...because('aborted'), isUnclear: true };
  const isLate = error.name === 'TimeoutError' && (code === '' || code === 'ETIMEDOUT');
  const why = isLate ? because('queueSilent') : { reason: 'The connection to the queue was lost.' };
  return { kind: 'down', ...why, isUnclear: true };
}

export const NO_CREDENTIALS =
  'Queue forwarding is not configured: the server has no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give it a profile or a role.';

const HINTS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/**
 * Whether credentials are configured here, as far as can be determined without a request: a role of the machine itself
 * is visible only when it is used.
 */
export function hasCredentials(environment: Record<string, string | undefined> = process.env): boolean {
  const file = environment.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials');
  return HINTS.some((name) => Boolean(environment[name])) || existsSync(file);
}

/**
 * The address of a queue, derived from its ARN only: an address given by a user could send the operator's credentials
 * anywhere.
 */

export interface Queue {
  readonly region: string;
  readonly url: string;
  readonly isFifo: boolean;
}

export function queueOf(arn: string, endpoint: string): Queue | undefined {
  const [, partition, region, account, name] = QUEUE_ARN.exec(arn) ?? [];
  if (region === undefined || name === undefined) return undefined;
  const host = `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  const base = endpoint === '' ? host : endpoint.replace(/\/+$/, '');
  return { region, url: `${base}/${account}/${name}`, isFifo: name.endsWith('.fifo') };
}

/** Whether an ARN matches one of a comma-separated list of patterns; `*` matches anything. */
export function isAllowed(arn: string, patterns: string): boolean {
  return patterns.split(/[\s,]+/).some((pattern) => pattern !== '' && matches(arn, pattern.split('*')));
}

/** Not a regular expression: many stars could cause catastrophic backtracking. */
function matches(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
