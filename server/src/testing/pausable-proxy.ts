import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before another server that can stop to pass anything on, as a network that swallows packets does. */
export interface PausableProxy {
  /** The address of the other server, by way of the proxy. */
  readonly url: string;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function pausableProxy(behind: string): Promise<PausableProxy> {
  const target = new URL(behind);
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (isPaused) from.pause();
      from.on('data', (chunk) => to.write(chunk));
      // `on('data')` lets it flow, unless it was paused before.
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(behind);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
