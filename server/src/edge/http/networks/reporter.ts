import { mayReport } from '@trackway/contract/scopes.ts';
import type { Caller, Gate } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { authorizationRequired, outOfScope } from '../../../refusals.ts';
import type { IngestRequest } from '../ingest/endpoint.ts';
import { basicPassword } from '../ingest/reports.ts';
import type { FailureLimit } from '../rate-limit.ts';
import { tokenOf } from '../token.ts';
import { callerAddress, keyOfCaller } from '../trust-proxy.ts';

/** Returns the user whose devices the request may report for, by its token. Rejects tokens without that permission. */
export async function reporterOf(
  request: IngestRequest,
  gate: Pick<Gate, 'authenticate'>,
  failures: FailureLimit,
): Promise<Caller> {
  const now = timeNow();
  const address = keyOfCaller(request);
  const token = basicPassword(request.headers) ?? tokenOf(request, { method: 'POST' }, []);
  failures.check(address, now, token);
  try {
    if (token === undefined) throw authorizationRequired();
    const caller = await gate.authenticate(token, now, callerAddress(request));
    if (caller.scope !== undefined && !mayReport(caller.scope)) throw outOfScope();
    failures.succeeded(address, token);
    return caller;
  } catch (error) {
    failures.failed(address, now);
    throw error;
  }
}
