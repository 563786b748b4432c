import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** A server of another make, on a free port of this machine; it never outlives the bench. */
export interface PeerServer {
  readonly pid: number;
  readonly address: string;
  stop(): Promise<void>;
}

/** Undefined where the program is not on this machine. */
export async function startPeer(
  program: string,
  argumentsAt: (port: number) => readonly string[],
): Promise<PeerServer | undefined> {
  const file = findProgram(program);
  if (file === undefined) return undefined;
  const port = await freePort();
  const child = spawn(file, argumentsAt(port), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  return {
    pid: child.pid!,
    address: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', end);
    },
  };
}

function findProgram(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
