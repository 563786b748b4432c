import type { Log } from '../../platform/log.ts';
import { errorBody, refusalOf, statusIn } from './errors.ts';
import { versionOf } from './mount.ts';

/** Properties of a rejected request. */
interface RefusedRequest {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  /** Undefined for an address that does not exist. */
  readonly route: string | undefined;
  /** In bytes. */
  readonly bodyLimit?: number;
}

interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** RFC 9110 requires it with every 401. Browsers show no dialog for this scheme. */
export const CHALLENGE = { 'www-authenticate': 'Bearer realm="Trackway"' } as const;

/** The response to a failed request, in the format of its API version. Server errors are logged. */
export function refusalAnswer(
  error: unknown,
  { id, url, method, route, bodyLimit }: RefusedRequest,
  log: Log,
): RefusalAnswer {
  const refusal = refusalOf(error, bodyLimit);
  if (refusal.statusCode >= 500)
    log.error({ error: refusal.cause ?? error, method, route, requestId: id }, 'A request failed');
  const version = versionOf(url);
  return {
    status: statusIn(version, refusal),
    headers: {
      ...refusal.headers,
      ...(refusal.statusCode === 401 && CHALLENGE),
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify(errorBody(version, refusal, id)),
  };
}
