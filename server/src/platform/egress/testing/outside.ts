import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, Socket, connect as tcpConnect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Connect } from '../dial.ts';

/** A server on this machine, and a stub in the place of every connection that would leave it. */

export interface Outside {
  readonly port: number;
  /** The addresses to which a connection was wanted, in order. */
  readonly wanted: string[];
  readonly connect: Connect;
  /** Connections that the server took and that are still open. */
  endConnections(): void;
}

/**
 * Within 127.0.0.0/8 the stub connects where it is told; to the addresses that stand for `hosted` it connects to the
 * server of this test; to all others it refuses. Nothing leaves the machine.
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
