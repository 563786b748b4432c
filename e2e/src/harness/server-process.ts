import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Engine, TestDatabasePlace } from './engines.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = 20_000;
const MAX_OUTPUT = 1_000_000;

export const ADMIN = { email: 'admin@example.org', password: 'the admin of the tests' };

/** The rate limits get in the way of tests that are not about them. */
const UNLIMITED = { TRACKWAY_RATE_LIMIT: '0', TRACKWAY_LOGIN_RATE_LIMIT: '0' };

export interface ServerProcess {
  /** Where it listens: http://127.0.0.1:PORT. */
  readonly address: string;
  readonly pid: number;
  /** The last that it wrote, on either stream. */
  output(): string;
  isRunning(): boolean;
  stop(): Promise<void>;
}

/** Starts the service as its users do, as a process of its own, on a free port of this machine. */
export async function startServer(
  engine: Engine,
  place: TestDatabasePlace,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['cli/src/main.ts', 'serve'], {
    cwd: ROOT,
    env: {
      ...process.env,
      TRACKWAY_HOST: '127.0.0.1',
      TRACKWAY_PORT: '0',
      // Tests ask nobody but this machine.
      AWS_EC2_METADATA_DISABLED: 'true',
      TRACKWAY_ADMIN_EMAIL: ADMIN.email,
      TRACKWAY_ADMIN_PASSWORD: ADMIN.password,
      ...(engine === 'sqlite' ? { TRACKWAY_DATA: place } : { TRACKWAY_DATABASE_URL: place }),
      ...UNLIMITED,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    });
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  // A run that ends early takes its server with it.
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const address = await addressSaid(child, () => output);
  return {
    address,
    pid: child.pid!,
    output: () => output,
    isRunning,
    async stop() {
      process.removeListener('exit', endWithUs);
      if (!isRunning()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function addressSaid(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`The server did not start: ${why}\n${output()}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      failed(`silent for ${START_MS} ms`);
    }, START_MS);
    child.stdout!.on('data', () => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      failed(`exit code ${code}`);
    });
  });
}
