/**
 * What the caller gets told. Everything else that is thrown is our own fault: it is logged whole and answered as a 500
 * that shows no inside.
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
