import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { retryAfter } from './http-outcome.ts';
import { oneLine } from './reason.ts';

/** What answers and failures of a queue mean for a parcel. */

/** One entry of a batch that was rejected, as the SDK reports it. */
export interface FailedEntry {
  readonly SenderFault?: boolean;
  readonly Code?: string;
  readonly Message?: string;
}

/** Faults of a message, and not of the queue, its policy or its keys. */
const OF_A_MESSAGE =
  /^(InvalidMessageContents|InvalidParameterValue|MissingParameter|InvalidAttributeValue|UnsupportedOperation|BatchRequestTooLong|InvalidBatchEntryId|MessageTooLong)/;

/** What is called the sender's fault, and yet no fault of the message. */
const OF_THE_QUEUE = /AccessDenied|Throttl|Kms|OverLimit|NonExistentQueue|QueueDoesNotExist/i;

export function outcomeOfEntry({ SenderFault, Code = '', Message = '' }: FailedEntry): SendOutcome {
  const reason = `The queue rejected the message: ${oneLine(`${Code} ${Message}`)}`;
  return SenderFault && !OF_THE_QUEUE.test(Code) ? { kind: 'refused', reason } : { kind: 'down', reason };
}

/** An error of the SDK: of the service, the credentials or the connection. */
export interface SdkError {
  readonly name?: string;
  readonly message?: string;
  /** A name of the system's, or a number of the platform's own errors. */
  readonly code?: string | number;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly statusCode?: number; readonly headers?: Record<string, string> };
}

const simpleName = (error: SdkError) => (error.name ?? '').replace(/^.*[.#]/, '');

export const isFaultOfAMessage = (error: SdkError) => OF_A_MESSAGE.test(simpleName(error));

/** Failures by which nothing can have reached the queue. */
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
  [/Throttl|^OverLimit|^TooManyRequests/, 'The queue gets too many requests'],
];

export function outcomeOfError(error: SdkError, now: number): SendOutcome {
  const name = simpleName(error);
  const status = error.$metadata?.httpStatusCode ?? error.$response?.statusCode;
  if (isFaultOfAMessage(error)) {
    return { kind: 'refused', reason: `The queue rejected the message: ${oneLine(`${name} ${error.message ?? ''}`)}` };
  }
  if (status === undefined) return outcomeOfConnection(error);
  const sentence =
    SENTENCES.find(([pattern]) => pattern.test(name))?.[1] ?? 'The queue does not accept messages at the moment';
  const retryAfterMs = retryAfter(error.$response?.headers?.['retry-after'], now);
  return {
    kind: 'down',
    reason: `${sentence} (${oneLine(`${status} ${name}`)}).`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // A success that could not be read, or a failure somewhere within: it may have been taken.
    ...(status < 400 || status === 500 || status === 502 || status === 504 ? { isUnclear: true } : {}),
  };
}

function outcomeOfConnection(error: SdkError): SendOutcome {
  const code = typeof error.code === 'string' ? error.code : '';
  const isClear = NOT_REACHED.includes(code) || /did not establish a connection/.test(error.message ?? '');
  if (isClear) return { kind: 'down', reason: `The queue cannot be reached${code && ` (${code})`}.` };
  if (error.name === 'AbortError') return { kind: 'down', reason: 'Sending was aborted.', isUnclear: true };
  const isLate = error.name === 'TimeoutError' && (code === '' || code === 'ETIMEDOUT');
  const reason = isLate ? 'The queue did not answer in time.' : 'The connection to the queue broke.';
  return { kind: 'down', reason, isUnclear: true };
}
