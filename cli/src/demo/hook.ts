import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DemoHook {
  /** Its loopback address. */
  readonly address: string;
  close(): void;
}

/** A webhook of the demo itself, so that triggers and forwarders have a receiver and nothing leaves this machine. */
export async function startHook(): Promise<DemoHook> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/dispatch`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
