import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, Socket, connect as tcpConnect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Connect } from '../client.ts';

/** Starts a server on this machine, and replaces every outgoing connection by a stub. */

export interface Outside {
  readonly port: number;
  /** The addresses of requested connections, in order. */
  readonly wanted: string[];
  readonly connect: Connect;
  /** Ends the open connections that the server accepted. */
  endConnections(): void;
}

/**
 * The stub connects to addresses within 127.0.0.0/8 as requested, connects the addresses of `hosted` to the server of
 * this test, and refuses all others. Nothing leaves the machine.
 */
export async function outside(
  t: TestContext,
  listener: RequestListener,
  hosted: readonly string[] = [],
): Promise<Outside> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const wanted: string[] = [];
  return {
    port,
    wanted,
    connect(address, to) {
      wanted.push(address);
      if (/^127\./.test(address)) return tcpConnect(to, address);
      if (hosted.includes(address)) return tcpConnect(port, '127.0.0.1');
      const refused = new Socket();
      process.nextTick(() => refused.destroy(Object.assign(new Error('stub'), { code: 'ECONNREFUSED' })));
      return refused;
    },
    endConnections: () => server.closeAllConnections(),
  };
}
