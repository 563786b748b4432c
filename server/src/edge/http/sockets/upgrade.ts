import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, Refusal } from '../../../platform/errors.ts';

/** The connection of a request that asks for a web socket, and what came behind the request. */
export interface UpgradeRequest {
  readonly socket: Socket;
  readonly head: Buffer;
  /** Gives the connection away: the response writes to it no more. */
  take(): void;
}

const UPGRADES = new WeakMap<IncomingMessage, UpgradeRequest>();

/** The handshake of a request for a web socket; refuses a request that is none. */
export function requireHandshake({ raw, headers }: FastifyRequest): UpgradeRequest {
  const upgrade = UPGRADES.get(raw);
  if (upgrade === undefined)
    throw new Refusal(426, 'This address is for web sockets: send Upgrade: websocket', {
      headers: { upgrade: 'websocket' },
    });
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    throw badRequest('Sec-WebSocket-Key is missing or not valid');
  if (headers['sec-websocket-version'] !== '13') throw badRequest('Sec-WebSocket-Version must be 13');
  return upgrade;
}

/** Whether Node hands the connection over. Any other upgrade is ignored, and its request answered as without it. */
export const isForSocket = ({ headers }: IncomingMessage): boolean => /^websocket$/i.test(headers.upgrade ?? '');

/** Sends requests for web sockets through all that other requests go through, so that they are refused alike. */
export function routeUpgrades(server: FastifyInstance): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node no longer looks after the connection.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // An answer to an earlier request is still being sent.
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
