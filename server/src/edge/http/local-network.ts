import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { NetworkListeners } from '../../calls.ts';
import { isLoopback } from '../../platform/egress/ip.ts';
import type { Log } from '../../platform/log.ts';

const OWN = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
/** The response to the request that closes the network is still sent if it came from there. */
const GRACE_MS = 200;

/** Accepts connections on more addresses of this machine than the one that the server listens on. */
export class LocalNetwork implements NetworkListeners {
  readonly #open = new Map<string, { readonly server: Server; readonly sockets: Set<Socket> }>();
  readonly #failed = new Set<string>();
  readonly #serve: (socket: Socket) => void;
  readonly #log: Log;

  constructor(serve: (socket: Socket) => void, log: Log) {
    this.#serve = serve;
    this.#log = log;
  }

  addresses = (): string[] => [...this.#open.keys()];

  async listenOn(addresses: readonly string[], port: number): Promise<void> {
    for (const address of this.addresses()) if (!addresses.includes(address)) this.#close(address);
    for (const address of addresses) if (!this.#open.has(address)) await this.#listen(address, port);
  }

  async #listen(address: string, port: number): Promise<void> {
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      this.#serve(socket);
    });
    try {
      server.listen({ host: address, port, exclusive: true });
      await once(server, 'listening');
    } catch (error) {
      // Tried again and again, but logged once.
      if (!this.#failed.has(address))
        this.#log.warn({ error, address, port }, 'The local network cannot connect to this address');
      this.#failed.add(address);
      return;
    }
    this.#failed.delete(address);
    this.#open.set(address, { server, sockets });
    this.#log.info({ address, port }, 'The local network can connect to this address');
  }

  #close(address: string): void {
    const { server, sockets } = this.#open.get(address)!;
    this.#open.delete(address);
    server.close();
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, GRACE_MS);
    this.#log.info({ address }, 'The local network can no longer connect to this address');
  }

  /** Ends all listeners; the HTTP server ends its connections. */
  stop(): void {
    for (const { server } of this.#open.values()) server.close();
    this.#open.clear();
  }
}

/**
 * Protects a server in a local network from DNS rebinding: a foreign page can make a browser send requests to this
 * machine, but only with the name of the page. So a request to a server of this machine alone that came by another
 * address, which the local network opened, must name that address or the name of this machine.
 */
export function isForeignHost({ headers, socket }: IncomingMessage, listensOn: string): boolean {
  const { localAddress = '' } = socket;
  const isByNetwork = isLoopback(listensOn) && ![listensOn, ...OWN].includes(localAddress);
  if (!isByNetwork) return false;
  const named = /^(?<name>[\w.-]+)(?::\d{1,5})?$/.exec(headers.host ?? '')?.groups?.name?.toLowerCase();
  const machine = hostname().toLowerCase();
  const short = machine.split('.', 1)[0]!;
  return named === undefined || ![localAddress, machine, short, `${short}.local`].includes(named);
}
