import type { Log } from '../../../platform/log.ts';
import { errorBody, refusalOf, statusIn } from '../errors.ts';
import { versionOf } from '../mount.ts';

/** What is known of a request that is refused. */
export interface RefusedRequest {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  /** Undefined for an address that does not exist. */
  readonly route: string | undefined;
}

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a request that failed, in the form of its version. What is our fault is logged. */
export function refusalAnswer(error: unknown, { id, url, method, route }: RefusedRequest, log: Log): RefusalAnswer {
  const refusal = refusalOf(error);
  if (refusal.statusCode >= 500)
    log.error({ error: refusal.cause ?? error, method, route, requestId: id }, 'A request failed');
  const version = versionOf(url);
  return {
    status: statusIn(version, refusal),
    headers: { ...refusal.headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(errorBody(version, refusal, id)),
  };
}
