/** A refusal of the server, the same for both versions' ways of telling it. */
export class ApiError extends Error {
  readonly status: number;
  /** A stable word for programs, where the server gives one: `MODEL_NOT_FOUND`. */
  readonly code: string | undefined;
  readonly details: unknown;
  /** Seconds to wait before trying again, where the server says so: with 429. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    more: { name?: string; code?: string; details?: unknown; retryAfter?: number } = {},
  ) {
    super(message);
    this.name = more.name ?? 'Error';
    this.status = status;
    this.code = more.code;
    this.details = more.details;
    this.retryAfter = more.retryAfter;
  }
}

/** What an answer that is no success says. A proxy in between may have answered something that is no JSON at all. */
export async function errorOf(response: Response): Promise<ApiError> {
  const told = wordsOf(await response.text());
  const message = typeof told.message === 'string' ? told.message : `${response.status} ${response.statusText}`.trim();
  return new ApiError(response.status, message, {
    name: typeof told.name === 'string' ? told.name : undefined,
    // In version 2 `code` repeats the status.
    code: typeof told.code === 'string' ? told.code : undefined,
    details: told.details,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  });
}

type Words = Readonly<Record<'message' | 'name' | 'code' | 'details', unknown>>;
const NOTHING: Words = { message: undefined, name: undefined, code: undefined, details: undefined };

/** Version 1 wraps the words in `error`, version 2 does not. */
function wordsOf(body: string): Words {
  try {
    const json = JSON.parse(body);
    const words = typeof json?.error === 'object' ? json.error : json;
    return typeof words === 'object' && words !== null ? words : NOTHING;
  } catch {
    return NOTHING;
  }
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
