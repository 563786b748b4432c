/**
 * An error whose message the caller sees. Any other thrown error is a bug: it is logged in full and returned as a 500
 * without details.
 */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly code: string | undefined;
  readonly details: unknown;
  readonly headers: Record<string, string> | undefined;

  constructor(
    statusCode: number,
    message: string,
    more: {
      name?: string;
      code?: string;
      details?: unknown;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = more.name ?? 'Error';
    this.statusCode = statusCode;
    this.code = more.code;
    this.details = more.details;
    this.headers = more.headers;
  }
}

export const badRequest = (message: string) => new Refusal(400, message);

/** For requests that a less busy machine could handle. */
export const slow = () =>
  new Refusal(503, 'The server is too busy for this search: try again in a moment', {
    headers: { 'retry-after': '2' },
  });
