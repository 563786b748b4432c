import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { type Dialling, dial } from './dial.ts';
import { CallFailed } from './failure.ts';

/**
 * The connection pool for calls to users' addresses. Nothing else uses it: every connection in it goes to a checked
 * address.
 */

/**
 * Common servers close a connection after 5 s idle. Closing earlier avoids requests on a connection that just closed.
 */
const IDLE_MS = 4000;

const POOL: AgentOptions = {
  keepAlive: true,
  timeout: IDLE_MS,
  maxFreeSockets: 256,
  // Callers limit their own concurrency; this only keeps a bug from using up all file descriptors.
  maxTotalSockets: 2048,
  scheduling: 'lifo',
};

type Asked = RequestOptions;
type Handed = (error: Error | null, socket: Duplex) => void;

export function guardedAgents(dialling: Dialling): { readonly http: HttpAgent; readonly https: HttpsAgent } {
  const open = (options: Asked, handed: Handed, finish: (socket: Socket) => Promise<Socket>) => {
    dial(options.host!, Number(options.port), dialling)
      .then(finish)
      .then(
        (socket) => handed(null, socket),
        (error: Error) => handed(error, undefined as never),
      );
    return undefined;
  };
  class GuardedHttp extends HttpAgent {
    override createConnection(options: Asked, handed: Handed) {
      return open(options, handed, async (socket) => socket);
    }
  }
  class GuardedHttps extends HttpsAgent {
    override createConnection(options: Asked, handed: Handed) {
      return open(options, handed, (socket) => secured(socket, options, dialling.withinMs));
    }
  }
  return { http: new GuardedHttp(POOL), https: new GuardedHttps(POOL) };
}

/** The certificate must match the requested name, not the address that the name resolved to. */
function secured(socket: Socket, { host, servername }: Asked, withinMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = tlsConnect({ socket, host: host!, servername, ALPNProtocols: ['http/1.1'] });
    const failed = (error?: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      secure.destroy();
      socket.destroy();
      const code = error?.code && /^[A-Z_0-9]{3,60}$/.test(error.code) ? ` (${error.code})` : '';
      reject(new CallFailed('reach', `The TLS connection failed${code}.`, { cause: error }));
    };
    const timer = setTimeout(failed, withinMs);
    secure.once('error', failed);
    secure.once('close', failed);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      secure.off('error', failed);
      secure.off('close', failed);
      resolve(secure);
    });
  });
}
