import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** No setting and no tool of the one who tests. */
const EMPTY = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Starts a server in an empty environment, reads its first page, asks for its health and stops it.
 *
 * @returns the time until the first page
 */
export async function useServer(command: readonly string[], env: Record<string, string>): Promise<string> {
  const started = performance.now();
  const server = start([...command, 'serve'], env);
  try {
    const address = await addressOf(server);
    const page = await (await fetch(address)).text();
    const seconds = secondsSince(started);
    const script = /src="(\/[^"]+\.js)"/.exec(page)?.[1];
    for (const path of [script!, '/readyz', '/docs']) assert.equal((await fetch(address + path)).status, 200, path);
    const words = [...command.slice(1), 'health', '--port', new URL(address).port];
    execFileSync(command[0]!, words, { env: { ...EMPTY, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
    server.kill('SIGTERM');
    assert.deepEqual(await once(server, 'exit'), [0, null]);
    return `first page after ${seconds} s`;
  } finally {
    server.kill('SIGKILL');
  }
}

/** Starts a server by a command that may run others, reads its first page, and ends it. @returns the time until the page */
export async function firstPage(command: readonly string[], env: Record<string, string>): Promise<string> {
  const started = performance.now();
  const server = start(command, env);
  try {
    const page = await fetch(await addressOf(server));
    assert.equal(page.status, 200);
    return `first page after ${secondsSince(started)} s`;
  } finally {
    process.kill(-server.pid!, 'SIGKILL');
  }
}

const secondsSince = (time: number) => ((performance.now() - time) / 1000).toFixed(1);

const start = (command: readonly string[], env: Record<string, string>) =>
  spawn(command[0]!, command.slice(1), {
    env: { TRACKWAY_PORT: '0', TRACKWAY_TRACKERS_PORT: '-1', ...EMPTY, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    // In a process group of its own, so that what it has started can be ended.
    detached: true,
  });

function addressOf(server: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stdout!.on('data', (chunk) => {
      said += chunk;
      const found = /running at (\S+)\n[\s\S]*Stop /.exec(said);
      if (found) resolve(found[1]!);
    });
    server.once('error', reject).once('exit', () => reject(new Error(`The server ended:\n${said}`)));
  });
}
