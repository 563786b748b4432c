import { mayReport } from '@trackway/contract/scopes.ts';
import type { Caller, Gate } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { authorizationRequired, outOfScope } from '../../../refusals.ts';
import { Repeats, StandingAlarms } from '../../listeners/repeats.ts';
import { networkProtocols } from '../../protocols/networks/networks.ts';
import { trackerProtocols } from '../../protocols/trackers/trackers.ts';
import { refuseTooDeep } from '../body.ts';
import type { Endpoint, IngestAnswer, IngestRequest } from '../ingest/endpoint.ts';
import { basicPassword } from '../ingest/reports.ts';
import type { FailureLimit } from '../rate-limit.ts';
import { tokenOf } from '../request.ts';
import { callerAddress, keyOfCaller } from '../trust-proxy.ts';
import type { NetworkContext } from './context.ts';
import { serveMessage } from './serve-message.ts';
import { serveRaw } from './serve-raw.ts';

/** One message of one device is a few kilobytes. */
const MESSAGE_BYTES = 256 * 1024;
const FRAME_BYTES = 64 * 1024;

type Serve = (caller: Caller, request: IngestRequest, body: Buffer) => Promise<IngestAnswer>;

/** Where networks post messages of devices, with a token of the devices' owner; by the paths below `/ingest/`. */
export function networkEndpoints(context: NetworkContext): [path: string, Endpoint][] {
  const endpoint = (path: string, methods: readonly string[], bodyLimit: number, serve: Serve): [string, Endpoint] => [
    path,
    {
      operation: `ingest ${path}`,
      methods,
      bodyLimit,
      async begin(request) {
        const caller = await reporterOf(request, context.gate, context.failures);
        return (body) => serve(caller, request, body);
      },
    },
  ];
  const messages = networkProtocols.map((protocol) =>
    endpoint(protocol.name, protocol.methods, MESSAGE_BYTES, (caller, request, bytes) => {
      const body = bytes.toString('utf8');
      refuseTooDeep(body);
      return serveMessage(context, protocol, caller, request, body);
    }),
  );
  const memory = { alarms: new StandingAlarms(), sightings: new Repeats() };
  const frames = trackerProtocols.map((protocol) =>
    endpoint(`raw/${protocol.name}`, ['POST'], FRAME_BYTES, (caller, request, body) =>
      serveRaw(context, protocol, memory, caller, request, body),
    ),
  );
  return [...messages, ...frames];
}

/** Returns the user whose devices the request may report for, by its token. Rejects tokens without that permission. */
async function reporterOf(
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
