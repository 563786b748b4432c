import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Open, TestDatabasePlace } from '../../../server/src/testing/databases.ts';
import { MAIN } from '../../../server/src/testing/trackway-main.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ENDS_WITH_PARENT = fileURLToPath(new URL('../../../server/src/testing/ends-with-parent.ts', import.meta.url));
export const MAX_OUTPUT = 1_000_000;

export const ADMIN = { email: 'admin@example.org', password: 'the admin of the tests' };

/** On PostgreSQL there is no folder of its own for a key. */
const SECRET = 'a secret for tests that is long enough';

/** Turns off limits that would disturb other tests: rate limits, and deadlines that a busy machine cannot meet. */
const PATIENT = {
  TRACKWAY_RATE_LIMIT: '0',
  TRACKWAY_LOGIN_RATE_LIMIT: '0',
  TRACKWAY_FAILURE_LIMIT: '0',
  TRACKWAY_SEARCH_DEADLINE: '60000',
};

/** A running server, in this process or in another. */
export interface Server {
  /** Its address: http://127.0.0.1:PORT. */
  readonly address: string;
  /** Where trackers connect, whatever their protocol. */
  readonly trackersPort: number;
  /** The end of its output, of both streams. */
  output(): string;
  /** Asks it to stop and waits for its end. Resolves with its exit code; null if a signal ended it. */
  stop(): Promise<number | null>;
}

export interface ServerProcess extends Server {
  readonly pid: number;
  isRunning(): boolean;
  /** Kills it without warning. */
  kill(): Promise<void>;
}

/** The environment variables of a server of the tests. */
export const environmentOf = (
  engine: Open<unknown>['storeKind'],
  place: TestDatabasePlace,
  settings: Record<string, string>,
): Record<string, string> => ({
  TRACKWAY_HOST: '127.0.0.1',
  TRACKWAY_PORT: '0',
  TRACKWAY_TRACKERS_PORT: '0',
  // Tests contact no other machine.
  AWS_EC2_METADATA_DISABLED: 'true',
  TRACKWAY_ADMIN_EMAIL: ADMIN.email,
  TRACKWAY_ADMIN_PASSWORD: ADMIN.password,
  ...(engine === 'sqlite' ? { TRACKWAY_DATA: place } : { TRACKWAY_DATABASE_URL: place, TRACKWAY_SECRET: SECRET }),
  ...PATIENT,
  ...settings,
});

/** Starts the service as its users do, in a separate process, on a free port of this machine. */
export async function startServer(
  engine: Open<unknown>['storeKind'],
  place: TestDatabasePlace,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--import', ENDS_WITH_PARENT, MAIN, 'serve'], {
    cwd: ROOT,
    env: { ...process.env, ...environmentOf(engine, place, settings) },
    // It ends when its standard input ends, so a run that is killed also ends its servers.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    });
  }
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  // Not at its exit: the end of its output may come after that.
  const ended = once(child, 'close');
  const endBy = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const address = await addressSaid(child, () => output);
  return {
    address,
    pid: child.pid!,
    trackersPort: Number(/Trackers +port (\d+)/.exec(output)?.[1]),
    output: () => output,
    isRunning,
    stop: () => endBy('SIGTERM'),
    async kill() {
      await endBy('SIGKILL');
    },
  };
}

/** Without a timeout: a server that cannot start prints the reason and ends. */
function addressSaid(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
      if (address === undefined) return;
      child.stdout!.off('data', look);
      resolve(address);
    };
    child.stdout!.on('data', look);
    child.once('close', (code) => reject(new Error(`The server did not start: exit code ${code}\n${output()}`)));
  });
}
