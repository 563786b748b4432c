import type { ERRORS } from '@trackway/contract/errors.ts';

/** Error codes for programs. A newer server may send others. */
export type ApiErrorCode = (typeof ERRORS)[keyof typeof ERRORS]['code'];

/** An error response of the server, in the same form for both API versions. */
export class ApiError extends Error {
  readonly status: number;
  /** A stable code for programs, if the server sends one, such as `MODEL_NOT_FOUND`. */
  readonly code: ApiErrorCode | (string & {}) | undefined;
  readonly details: unknown;
  /** Seconds to wait before a retry. Set for status 429. */
  readonly retryAfter: number | undefined;
  /** The id of the request, which the operator can find in the server log. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    message: string,
    more: { name?: string; code?: string; details?: unknown; retryAfter?: number; requestId?: string } = {},
  ) {
    super(message);
    this.name = more.name ?? 'Error';
    this.status = status;
    this.code = more.code;
    this.details = more.details;
    this.retryAfter = more.retryAfter;
    this.requestId = more.requestId;
  }
}

/** Whether a thrown value is an error response, optionally with this code or status. */
export const isApiError = (error: unknown, codeOrStatus?: ApiErrorCode | number): error is ApiError =>
  error instanceof ApiError &&
  (codeOrStatus === undefined || error.code === codeOrStatus || error.status === codeOrStatus);

/** The error in a response. The response of a proxy in between may not be JSON. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = errorBodyOf(await response.text());
  const message = typeof body.message === 'string' ? body.message : `${response.status} ${response.statusText}`.trim();
  return new ApiError(response.status, message, {
    name: typeof body.name === 'string' ? body.name : undefined,
    // In version 2 `code` repeats the status, and `reason` is the code.
    code: typeof body.code === 'string' ? body.code : typeof body.reason === 'string' ? body.reason : undefined,
    details: body.details,
    retryAfter: secondsOf(response.headers.get('retry-after')),
    requestId: response.headers.get('x-request-id') ?? undefined,
  });
}

type ErrorBody = Readonly<Record<'message' | 'name' | 'code' | 'reason' | 'details', unknown>>;
const EMPTY: ErrorBody = {
  message: undefined,
  name: undefined,
  code: undefined,
  reason: undefined,
  details: undefined,
};

/** Version 1 wraps the error in `error`, version 2 does not. */
function errorBodyOf(text: string): ErrorBody {
  try {
    const json = JSON.parse(text);
    if (typeof json === 'string') return { ...EMPTY, message: json };
    const error = typeof json?.error === 'object' ? json.error : json;
    return typeof error === 'object' && error !== null ? error : EMPTY;
  } catch {
    return EMPTY;
  }
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
