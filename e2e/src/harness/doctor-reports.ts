import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { MAIN } from '../../../server/src/testing/trackway-main.ts';
import { startServer } from './server-process.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DAMAGE = /damaged|lost|is missing|is empty|not a database/i;

/** How an installation reports damage to its operator. */
export interface Received {
  /** A server that cannot open the database says why and ends. */
  readonly hasStarted: boolean;
  /** Also what is said on the way to an early end. */
  readonly byLog: boolean;
  /** Also by not answering. */
  readonly byReadyz: boolean;
  readonly byDoctor: boolean;
  readonly isWritable: boolean;
  /** Seconds from the start of the server until log and `/readyz` reported it. */
  readonly seconds: number;
  readonly said: string;
}

/** Starts a server on a database, waits until it reported damage or its check found none, and asks the doctor. */
export async function reportedDamage(folder: string): Promise<Received> {
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1000;
  let server: Awaited<ReturnType<typeof startServer>>;
  try {
    server = await startServer('sqlite', folder);
  } catch (error) {
    const said = (error as Error).message;
    const seconds = since();
    return {
      hasStarted: false,
      byLog: DAMAGE.test(said),
      byReadyz: true,
      byDoctor: await doctorReports(folder),
      isWritable: false,
      seconds,
      said,
    };
  }
  try {
    const isReady = async () => (await fetch(`${server.address}/readyz`)).ok;
    await eventually(
      'the server looked for damage',
      async () =>
        !server.isRunning() || !(await isReady().catch(() => false)) || /no damage found/.test(server.output()),
    );
    const seconds = since();
    const byReadyz = !(await isReady().catch(() => false));
    const reports = () => DAMAGE.test(server.output().replaceAll('no damage found', ''));
    // Its output may come after its answer.
    if (byReadyz) await eventually('the log reports the damage', () => reports() || !server.isRunning());
    const byLog = reports();
    const byDoctor = await doctorReports(folder);
    const answer = await fetch(`${server.address}/api/users/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'admin@example.org', password: 'the admin of the tests' }),
    }).catch(() => undefined);
    const isWritable = answer?.ok ?? false;
    return { hasStarted: true, byLog, byReadyz, byDoctor, isWritable, seconds, said: server.output() };
  } finally {
    await server.kill();
  }
}

function doctorReports(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, 'doctor', '--data', folder, '--port', '0'], { cwd: ROOT }, (_, out) =>
      resolve(out.split('\n').some((line) => /^ {2}FAIL/.test(line) && DAMAGE.test(line))),
    );
  });
}
