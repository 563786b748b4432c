import { type Because, because, type ReasonCode } from '../because.ts';

/** Why a call got no response, as a sentence for the person who specified the address. */
export class CallFailed extends Error {
  /**
   * `address`: the address can never be called. `forbidden`: calling it is not allowed. `reach`: there was no response.
   */
  readonly kind: 'address' | 'forbidden' | 'reach';
  /** Whether the request may have arrived nevertheless. */
  readonly isUnclear: boolean;
  /** Whether the connection was a reused one: it was probably idle for too long, and a new one works. */
  readonly isStale: boolean;
  readonly because: Because;

  constructor(
    kind: CallFailed['kind'],
    why: string | Because,
    more: { isUnclear?: boolean; isStale?: boolean; cause?: unknown } = {},
  ) {
    const given = typeof why === 'string' ? { reason: why } : why;
    super(given.reason, { cause: more.cause });
    this.because = given;
    this.name = 'CallFailed';
    this.kind = kind;
    this.isUnclear = more.isUnclear ?? false;
    this.isStale = more.isStale ?? false;
  }
}

const CODES: Readonly<Record<string, ReasonCode>> = {
  ENOTFOUND: 'hostNotFound',
  EAI_AGAIN: 'hostUnresolved',
  ECONNREFUSED: 'connectionRefused',
  EHOSTUNREACH: 'hostUnreachable',
  ENETUNREACH: 'networkUnreachable',
  ETIMEDOUT: 'connectionTimedOut',
};

/** The name of a system error, if it is one. */
export const errorName = (code: unknown): string | undefined =>
  typeof code === 'string' && /^[A-Z_0-9]{3,60}$/.test(code) ? code : undefined;

/** Converts an error from before the connection was open, when nothing had been sent. */
export function notReached(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = CODES[code];
  const why = known ? because(known) : because('connectionFailed', { error: errorName(code) });
  return new CallFailed('reach', why, { cause: error });
}
