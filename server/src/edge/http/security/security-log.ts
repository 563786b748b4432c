import type { OperationName } from '@trackway/contract/operations.ts';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../../calls.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { callerAddress } from '../trust-proxy.ts';
import { AUDITED } from './audited.ts';

interface Told {
  readonly caller: Caller | undefined;
  readonly request: FastifyRequest;
  readonly deviceId?: number;
  readonly userId?: number;
}

/** Refusals that may be an attack. */
const SUSPICIOUS: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * One line for each operation that the audit trail records, and for each that was refused to somebody: for programs that
 * watch logs. It says who, from where and on what, and nothing of what was sent.
 */
export class SecurityLog {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  done(name: OperationName, told: Told): void {
    const audited = AUDITED[name];
    if (!('as' in audited)) return;
    this.#log.info({ security: true, event: audited.as, ...lineOf(name, told) }, 'Security event');
  }

  refused(name: OperationName, told: Told, error: unknown): void {
    if (!(error instanceof Refusal) || !SUSPICIOUS.has(error.statusCode)) return;
    const isSignIn = name === 'login' || name === 'loginV2';
    // What only reads is refused all day to tokens that have expired.
    if ('not' in AUDITED[name] && error.statusCode !== 403) return;
    const event = isSignIn ? 'session.failed' : 'refused';
    const { statusCode: status, code } = error;
    this.#log.warn({ security: true, event, ...lineOf(name, told), status, code }, 'Security event');
  }

  /** The same for a browser that signs in or out, which is no operation of the contract. */
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

const lineOf = (operation: string, { caller, request, deviceId, userId }: Told) => ({
  operation,
  ...(caller && { actorId: caller.userId, tokenId: caller.tokenId }),
  ...(userId && { userId }),
  ...(deviceId && { deviceId }),
  address: callerAddress(request),
  requestId: request.id,
});
