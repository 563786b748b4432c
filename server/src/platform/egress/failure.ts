/** Why a call got no answer, as a sentence for the person who gave the address. */
export class CallFailed extends Error {
  /**
   * `address`: the address can never be called. `forbidden`: calling it is not allowed. `reach`: there was no answer.
   */
  readonly kind: 'address' | 'forbidden' | 'reach';
  /** Whether the request may have arrived nevertheless. */
  readonly isUnclear: boolean;
  /** Whether the connection had been used before: most likely it was idle for too long, and a new one does. */
  readonly isStale: boolean;

  constructor(
    kind: CallFailed['kind'],
    sentence: string,
    more: { isUnclear?: boolean; isStale?: boolean; cause?: unknown } = {},
  ) {
    super(sentence, { cause: more.cause });
    this.name = 'CallFailed';
    this.kind = kind;
    this.isUnclear = more.isUnclear ?? false;
    this.isStale = more.isStale ?? false;
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'Host not found.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'Connection refused.',
  EHOSTUNREACH: 'Host unreachable.',
  ENETUNREACH: 'Network unreachable.',
  ETIMEDOUT: 'Connection timed out.',
};

/** Converts an error from before the connection was open, when nothing had been sent. */
export function notReached(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const sentence = SENTENCES[code] ?? `Connection failed${/^[A-Z_0-9]{3,60}$/.test(code) ? ` (${code})` : ''}.`;
  return new CallFailed('reach', sentence, { cause: error });
}
