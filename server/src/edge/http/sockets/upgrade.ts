import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The connection of a request that asks for a web socket, and what came behind the request. */
export interface UpgradeRequest {
  readonly socket: Socket;
  readonly head: Buffer;
  /** Gives the connection away: the response writes to it no more. */
  take(): void;
}

const UPGRADES = new WeakMap<IncomingMessage, UpgradeRequest>();

export const upgradeOf = (request: IncomingMessage): UpgradeRequest | undefined => UPGRADES.get(request);

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
