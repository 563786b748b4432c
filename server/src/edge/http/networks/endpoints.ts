import { mayReport } from '@trackway/contract/scopes.ts';
import type { Caller, Gate, OwnDevice } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { authorizationRequired, outOfScope } from '../../../refusals.ts';
import { Repeats, StandingAlarms } from '../../listeners/device-memory.ts';
import {
  EMPTY,
  type NetworkMessage,
  type NetworkProtocol,
  type NetworkRequest,
  type WaitingMessage,
} from '../../protocols/networks/network.ts';
import { networkProtocols } from '../../protocols/networks/networks.ts';
import { trackerProtocols } from '../../protocols/trackers/trackers.ts';
import { refuseTooDeep } from '../body.ts';
import { type Endpoint, type IngestAnswer, type IngestRequest, jsonAnswer, NO_CONTENT } from '../ingest/endpoint.ts';
import { basicPassword } from '../ingest/reports.ts';
import { queryPairs } from '../query.ts';
import type { FailureLimit } from '../rate-limit.ts';
import { tokenOf } from '../request.ts';
import { callerAddress, keyOfCaller } from '../trust-proxy.ts';
import { countIgnored, type NetworkContext, receiveFor, unknownTo } from './context.ts';
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

/** Stores a message that a network posts. Unusable messages are answered with 2xx as well, with the reason. */
async function serveMessage(
  context: NetworkContext,
  protocol: NetworkProtocol,
  caller: Caller,
  request: IngestRequest,
  body: string,
): Promise<IngestAnswer> {
  const now = timeNow();
  const asked: NetworkRequest = {
    query: queryPairs(request.url),
    contentType: request.headers['content-type'] ?? '',
    body,
    now,
  };
  const message = protocol.decode(asked);
  const { name } = protocol;
  const address = callerAddress(request);
  if ('notUsable' in message) {
    countIgnored(context, caller.userId, now);
    const problem = message.notUsable;
    context.notes.undecoded({ protocol: name, address, problem, bytes: Buffer.from(asked.body), now });
    return ignored(problem);
  }
  const { names, awaitsDownlink } = message;
  const device = await context.devices.bySerial(caller, names);
  if (device === undefined) {
    countIgnored(context, caller.userId, now);
    const problem = unknownTo(caller);
    context.notes.undecoded({ protocol: name, name: names[0]!, address, problem, bytes: Buffer.from(asked.body), now });
    return ignored(`none of your devices has the serial number ${names[0]}`, awaitsDownlink);
  }
  if (message.ignored !== undefined) return ignored(message.ignored);
  const received = await receiveFor(context, device.deviceId, message.report, now);
  const gateways = await noteGateways(context, caller, device, message, now);
  if ('ignored' in received) return ignored(received.ignored, awaitsDownlink);
  if (awaitsDownlink !== undefined) {
    const downlink = protocol.downlink?.(message, received.messages as unknown as WaitingMessage[]);
    if (downlink === undefined) return NO_CONTENT;
    await context.reception.messageSent(device.deviceId, downlink.messageId, now);
    return jsonAnswer(downlink.body);
  }
  const waiting = received.messages as unknown as WaitingMessage[];
  const push = message.isUplink && protocol.push?.(request.headers, waiting, message);
  // The network waits for the response, but not for this call.
  if (push) void context.pushes.send(context, push, { deviceId: device.deviceId, protocol: name, address });
  const { accepted, duplicates, quarantined } = received;
  return jsonAnswer({ accepted, duplicates, quarantined, gateways });
}

/** Records a sighting of the device for each gateway of the same user. Returns their number. */
async function noteGateways(
  context: NetworkContext,
  caller: Caller,
  device: OwnDevice,
  { receivedBy }: NetworkMessage,
  now: number,
): Promise<number> {
  const noted = await Promise.all(
    receivedBy.map(async ({ names, seen, identity }) => {
      const gateway = await context.devices.bySerial(caller, names);
      if (gateway === undefined || gateway.deviceId === device.deviceId) return 0;
      const sighting = { ...seen, sensorDeviceId: device.name };
      const report = { ...EMPTY, gatewayReadings: [sighting], asSent: () => identity };
      return 'ignored' in (await receiveFor(context, gateway.deviceId, report, now)) ? 0 : 1;
    }),
  );
  return noted.reduce((sum: number, one) => sum + one, 0);
}

const ignored = (reason: string, awaitsDownlink?: string) =>
  awaitsDownlink === undefined
    ? jsonAnswer({ accepted: 0, duplicates: 0, quarantined: [], gateways: 0, ignored: reason })
    : NO_CONTENT;
