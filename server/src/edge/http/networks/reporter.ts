import { mayReport } from '@trackway/contract/scopes.ts';
import type { FastifyRequest } from 'fastify';
import type { Caller, Gate } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { authorizationRequired, outOfScope } from '../../../refusals.ts';
import type { FailureLimit } from '../connections/failure-limit.ts';
import { basicPassword } from '../ingest.ts';
import { tokenOf } from '../token.ts';
import { callerAddress, keyOfCaller } from '../trust-proxy.ts';

/** Whose devices a request may speak for, by its token; refuses tokens that may not report. */
export async function reporterOf(
  request: FastifyRequest,
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
