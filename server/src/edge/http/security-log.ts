import type { OperationName } from '@trackway/contract/operations.ts';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { auditOf } from './audited.ts';
import { callerAddress } from './trust-proxy.ts';

interface Reported {
  readonly caller: Caller | undefined;
  readonly request: FastifyRequest;
  readonly deviceId?: number;
  readonly userId?: number;
}

/** Error statuses that may indicate an attack. */
const SUSPICIOUS: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * Writes one line for each audited operation and for each rejected one, for log monitoring. It contains the caller, the
 * address and the target, but nothing of the content.
 */
export class SecurityLog {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  done(name: OperationName, reported: Reported): void {
    const audited = auditOf(name);
    if (!('as' in audited)) return;
    this.#log.info({ security: true, event: audited.as, ...lineOf(name, reported) }, 'Security event');
  }

  refused(name: OperationName, reported: Reported, error: unknown): void {
    if (!(error instanceof Refusal) || !SUSPICIOUS.has(error.statusCode)) return;
    const isSignIn = name === 'login' || name === 'loginV2';
    // Reads are constantly rejected for expired tokens, so those are not logged.
    if ('not' in auditOf(name) && error.statusCode !== 403) return;
    const event = isSignIn ? 'session.failed' : 'refused';
    const { statusCode: status, code } = error;
    this.#log.warn({ security: true, event, ...lineOf(name, reported), status, code }, 'Security event');
  }

  /** The same for sign-in and sign-out of a browser, which are not operations of the contract. */
  browser(
    event: 'session.started' | 'session.ended',
    operation: string,
    request: FastifyRequest,
    userId?: number,
  ): void {
    this.#log.info(
      { security: true, event, ...lineOf(operation, { caller: undefined, request, userId }) },
      'Security event',
    );
  }

  browserRefused(operation: string, request: FastifyRequest, error: unknown): void {
    if (!(error instanceof Refusal) || !SUSPICIOUS.has(error.statusCode)) return;
    const { statusCode: status, code } = error;
    const line = lineOf(operation, { caller: undefined, request });
    this.#log.warn({ security: true, event: 'session.failed', ...line, status, code }, 'Security event');
  }
}

const lineOf = (operation: string, { caller, request, deviceId, userId }: Reported) => ({
  operation,
  ...(caller && { actorId: caller.userId, tokenId: caller.tokenId }),
  ...(userId && { userId }),
  ...(deviceId && { deviceId }),
  address: callerAddress(request),
  requestId: request.id,
});
