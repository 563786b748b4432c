import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a process and its PostgreSQL server. On request it forwards a COMMIT, waits until the server has
 * executed it, and cuts the connection instead of passing on the answer: the process can't know what became of it.
 */
export interface CommitCutter {
  /** The address of the same database, through this. */
  readonly url: string;
  /** How many of the next commits are cut. */
  cuts: number;
  /** How many were cut so far. */
  done: number;
  close(): Promise<void>;
}

const COMMIT = Buffer.from('commit\0');
const COMMITTED = Buffer.from('COMMIT\0');

export async function commitCutter(databaseUrl: string): Promise<CommitCutter> {
  const behind = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(behind.port), behind.hostname);
    let isCutting = false;
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (cutter.cuts > 0 && bytes.includes(COMMIT)) {
        cutter.cuts--;
        isCutting = true;
      }
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      if (!isCutting) client.write(bytes);
      else if (bytes.includes(COMMITTED)) {
        cutter.done++;
        client.destroy();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cutter: CommitCutter = {
    url: url.href,
    cuts: 0,
    done: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return cutter;
}
