import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { type Client, createClient } from '@trackway/client/client.ts';
import { MAIN } from '@trackway/server/testing/trackway-main.ts';

/** Runs the real command in a separate process. */

export { MAIN };
/** Makes a process end with its standard input, so that a killed test run leaves none behind. */
export const ENDS_WITH_PARENT = ['--import', import.meta.resolve('@trackway/server/testing/ends-with-parent.ts')];
export const ADMIN = { email: 'boss@example.com', password: 'correct horse battery' };

/** The environment of the tests, without settings of the machine. */
function environment(more: Record<string, string>): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('TRACKWAY_'));
  return { ...Object.fromEntries(own), ...more };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

function start(words: readonly string[], env: Record<string, string>, before: readonly string[] = [MAIN]): Child {
  const child = spawn(process.execPath, [...before, ...words], {
    env: environment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  return child;
}

export interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command to its end. */
export async function trackway(
  words: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Result> {
  const child = start(words, env);
  const said = listen(child);
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, out: said.out, err: said.err };
}

function listen(child: Child): { out: string; err: string; waitFor(pattern: RegExp): Promise<RegExpMatchArray> } {
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  return Object.assign(said, {
    /** Waits for a text in the output, and fails if the process ends without it. */
    waitFor: (pattern: RegExp) =>
      new Promise<RegExpMatchArray>((found, fail) => {
        const look = () => {
          const match = said.out.match(pattern);
          if (match) found(match);
        };
        child.stdout.on('data', look);
        child.once('close', () => fail(new Error(`It ended without saying ${pattern}.\n${said.out}\n${said.err}`)));
        look();
      }),
  });
}

export interface Server {
  readonly address: string;
  readonly data: string;
  readonly child: Child;
  readonly said: ReturnType<typeof listen>;
  readonly ended: Promise<[code: number | null, signal: string | null]>;
}

const folders: string[] = [];
// Not with each test: the hooks of a test run in the order of their registration, and its server still writes.
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A temporary folder, removed when this process ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-cli-'));
  folders.push(folder);
  return folder;
}

/** A server on a free port, stopped with the test. */
export async function serve(t: TestContext, env: Record<string, string> = {}, main = MAIN): Promise<Server> {
  const data = env.TRACKWAY_DATA ?? join(await tempFolder(), 'data');
  const child = start(['serve', '--port', '0', '--trackers-port', '0', '--data', data], env, [
    ...ENDS_WITH_PARENT,
    main,
  ]);
  const ended = once(child, 'close') as Server['ended'];
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said = listen(child);
  const [, address] = await said.waitFor(/^Trackway is running at (\S+)$/m);
  await said.waitFor(/Stop .*\n/);
  return { address: address!, data, child, said, ended };
}

export const asAdmin = { TRACKWAY_ADMIN_EMAIL: ADMIN.email, TRACKWAY_ADMIN_PASSWORD: ADMIN.password };

/** A client that is signed in. */
export async function signedIn(
  url: string,
  body: { email: string; password: string } = ADMIN,
): Promise<{ client: Client; token: string }> {
  // No timeout, because a response may take long on a busy machine.
  const options = { url, timeoutMs: 0 };
  const { id: token } = await createClient(options).login({ body });
  return { client: createClient({ ...options, token }), token };
}
