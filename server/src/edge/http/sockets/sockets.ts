import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import { SOCKET_ENCODINGS, SOCKET_PATH } from '@trackway/contract/resources/sockets.ts';
import { isWithinScope } from '@trackway/contract/scopes.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import type { Call, Caller, Gate, LiveStreams, QueryPairs } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { badRequest, Refusal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { modelNotFound, outOfScope } from '../../../refusals.ts';
import { refusalOf } from '../errors.ts';
import { accepted, identify, type RequestContext } from '../mount.ts';
import { queryPairs } from '../query.ts';
import { refuseOverdrawn } from '../rate-limit.ts';
import { originOf, tokenOf } from '../request.ts';
import { callerAddress } from '../trust-proxy.ts';
import { type Encoding, identifiersIn, isEncoding, type MessageContent } from './frames.ts';
import { MAX_DEVICES, type SocketContext, serveSocket } from './session.ts';

interface SocketRouteOptions {
  readonly live: LiveStreams;
  readonly log: Log;
  /** The largest frame, in bytes. */
  readonly frameLimit: number;
  readonly pingMs?: number;
}

const PING_MS = 30_000;
/** Opening a socket is a read: browsers cannot send headers with it, so the token may be in the address. */
const READ = { method: 'GET', access: 'user' } as const;

/** Mounts the web sockets: the live stream of devices, and messages to them. */
export function mountSockets(server: FastifyInstance, context: RequestContext, options: SocketRouteOptions): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: options.frameLimit,
  });
  for (const path of [SOCKET_PATH, `${SOCKET_PATH}/:device`]) {
    server.get(BASES.v2 + path, { config: { operation: 'sockets' } }, async (request, reply) => {
      const query = withToken(queryPairs(request.raw.url!));
      const caller = (await identify(context, 'live', READ, query, request, reply, timeNow()))!;
      const upgrade = requireHandshake(request);
      const encoding = encodingIn(query);
      const { device } = request.params as { device?: string };
      const devices = await namedDevices(context.gate, caller, device, query);
      const after = valueIn(query, 'lastEventId') || undefined;
      await options.live.admit(caller, undefined);
      reply.hijack();
      upgrade.take();
      sockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
        const socketContext = socketContextOf(context, options, request, tokenOf(request, READ, query)!, caller);
        const isForOne = device !== undefined;
        const pingMs = options.pingMs ?? PING_MS;
        serveSocket(socket, upgrade.socket, socketContext, { encoding, devices, isForOne, after, pingMs });
      });
      return reply;
    });
  }
}

const valueIn = (query: QueryPairs, name: string) => query.find(([key]) => key === name)?.[1];

/** The published name of the token in the address is `authorization`. */
const withToken = (query: QueryPairs): QueryPairs =>
  query.map(([name, value]) => [name === 'authorization' ? 'access_token' : name, value]);

function encodingIn(query: QueryPairs): Encoding {
  const encoding = valueIn(query, 'encoding') || 'json';
  if (!isEncoding(encoding)) throw badRequest(`encoding must be one of ${SOCKET_ENCODINGS.join(', ')}`);
  return encoding;
}

async function namedDevices(
  gate: Gate,
  caller: Caller,
  device: string | undefined,
  query: QueryPairs,
): Promise<{ identifier: string; id: number | undefined }[]> {
  if (device !== undefined) {
    const id = await gate.deviceNamed(caller, device);
    if (id === undefined) throw modelNotFound('device', device.slice(0, 100));
    return [{ identifier: device, id }];
  }
  const identifiers = identifiersIn(query.filter(([name]) => name === 'devices').map(([, value]) => value));
  if (identifiers.length > MAX_DEVICES) throw badRequest(`devices must not name more than ${MAX_DEVICES} devices`);
  const devices = [];
  for (const identifier of identifiers) devices.push({ identifier, id: await gate.deviceNamed(caller, identifier) });
  return devices;
}

/** Dependencies of one socket. Its token is checked again with each frame. */
function socketContextOf(
  context: RequestContext,
  { live, log }: SocketRouteOptions,
  request: FastifyRequest,
  token: string,
  opener: Caller,
): SocketContext {
  const address = callerAddress(request);
  return {
    deviceOf: context.gate.deviceNamed,
    rightOn: context.gate.rightOn,
    open: (wanted, sink) => live.open(opener, wanted, sink),

    async admitFrame() {
      const now = timeNow();
      const caller = await context.gate.authenticate(token, now, address);
      refuseOverdrawn(context.limit.count(`user:${caller.userId}`, now), now);
      return caller;
    },

    async sendMessage(caller, deviceId, right, content: MessageContent) {
      const reported = { caller, deviceId, request };
      try {
        if (caller.scope !== undefined && !isWithinScope(caller.scope, 'createMessage')) throw outOfScope();
        const sent = { ...content };
        const call = {
          caller,
          deviceId,
          right,
          userId: caller.userId,
          key: 0,
          keys: { id: deviceId },
          texts: {},
          query: [],
          parameters: {},
          body: accepted(OPERATIONS.createMessage.body!, sent),
          sent,
          now: timeNow(),
          address,
          agent: request.headers['user-agent'],
          origin: originOf(request),
        } as Call;
        await (context.handlers.createMessage as (call: Call) => Promise<unknown>)(call);
        context.security?.done('createMessage', reported);
      } catch (error) {
        context.security?.refused('createMessage', reported, error);
        throw error;
      }
    },

    explain(error) {
      const { statusCode, message } = refusalOf(error);
      if (statusCode >= 500) log.error({ error }, 'A frame of a web socket could not be processed');
      return { message: statusCode >= 500 ? 'internal server error' : message, isUnknown: statusCode === 401 };
    },
  };
}

/** The connection of a web socket request, and the bytes that followed the request. */
interface UpgradeRequest {
  readonly socket: Socket;
  readonly head: Buffer;
  /** Detaches the connection: the response no longer writes to it. */
  take(): void;
}

const UPGRADES = new WeakMap<IncomingMessage, UpgradeRequest>();

/** The handshake of a web socket request. Rejects other requests. */
export function requireHandshake({ raw, headers }: FastifyRequest): UpgradeRequest {
  const upgrade = UPGRADES.get(raw);
  if (upgrade === undefined)
    throw new Refusal(426, 'This address is for web sockets: send Upgrade: websocket', {
      // HTTP/2 does not allow this header.
      ...(raw.httpVersionMajor === 1 && { headers: { upgrade: 'websocket' } }),
    });
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    throw badRequest('Sec-WebSocket-Key is missing or not valid');
  if (headers['sec-websocket-version'] !== '13') throw badRequest('Sec-WebSocket-Version must be 13');
  return upgrade;
}

/** Whether Node passes the connection on. Other upgrades are ignored, and their requests handled normally. */
export const isForSocket = ({ headers }: IncomingMessage): boolean => /^websocket$/i.test(headers.upgrade ?? '');

/** Passes web socket requests through all hooks of other requests, so that the same checks apply. */
export function routeUpgrades(server: FastifyInstance): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node no longer handles errors of the connection.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // The response to an earlier request is still being sent.
      socket.destroy();
      return;
    }
    const close = () => {
      response.detachSocket(socket);
      socket.destroySoon();
    };
    response.once('finish', close);
    UPGRADES.set(request, {
      socket,
      head,
      take() {
        response.off('finish', close);
        response.detachSocket(socket);
      },
    });
    server.routing(request, response);
  });
}
