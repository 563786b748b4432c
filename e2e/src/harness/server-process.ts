import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoreKind } from '../../../server/src/platform/storage/store-kind.ts';
import type { TestDatabasePlace } from '../../../server/src/testing/databases.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ENDS_WITH_PARENT = fileURLToPath(new URL('../../../server/src/testing/ends-with-parent.ts', import.meta.url));
const MAX_OUTPUT = 1_000_000;

export const ADMIN = { email: 'admin@example.org', password: 'the admin of the tests' };

/** What gets in the way of tests that are not about it: rate limits, and deadlines that a busy machine can not keep. */
const PATIENT = { TRACKWAY_RATE_LIMIT: '0', TRACKWAY_LOGIN_RATE_LIMIT: '0', TRACKWAY_SEARCH_DEADLINE: '60000' };

export interface ServerProcess {
  /** Where it listens: http://127.0.0.1:PORT. */
  readonly address: string;
  readonly pid: number;
  /** The last that it wrote, on either stream. */
  output(): string;
  isRunning(): boolean;
  /** Tells it to stop and waits for its end. Answers its exit code, null where a signal ended it. */
  stop(): Promise<number | null>;
  /** Ends it without a warning. */
  kill(): Promise<void>;
}

/** Starts the service as its users do, as a process of its own, on a free port of this machine. */
export async function startServer(
  engine: StoreKind,
  place: TestDatabasePlace,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--import', ENDS_WITH_PARENT, 'cli/src/main.ts', 'serve'], {
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
      ...PATIENT,
      ...settings,
    },
    // It ends when its standard input does, so a run that is killed takes its servers with it.
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
  const ended = once(child, 'exit');
  const endBy = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  const address = await addressSaid(child, () => output);
  return {
    address,
    pid: child.pid!,
    output: () => output,
    isRunning,
    stop: () => endBy('SIGTERM'),
    async kill() {
      await endBy('SIGKILL');
    },
  };
}

/** However long it takes: a server that can not start says why and ends. */
function addressSaid(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', () => {
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`The server did not start: exit code ${code}\n${output()}`)));
  });
}
