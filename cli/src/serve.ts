import { execFile } from 'node:child_process';
import cluster from 'node:cluster';
import type { Machine } from '@trackway/server/app/server.ts';
import type { Settings } from '@trackway/server/app/settings.ts';
import { openStore } from '@trackway/server/app/store.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { shrinkHeapOnceIdle } from '@trackway/server/platform/threads.ts';
import { type Command, Failure, type Given } from './command.ts';
import { offerNetwork } from './offer-network.ts';
import { leave, processCount, processNumber, reportReady, runProcesses } from './processes.ts';
import { settingFlags, settingsOf } from './setting-flags.ts';
import { problemsOf } from './setting-rules.ts';
import { startFailure } from './start-failure.ts';
import { waitForStop } from './wait-for-stop.ts';
import { welcome } from './welcome.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Run the server until it is stopped with Ctrl+C or SIGTERM. Each setting can be given as a flag or as an environment variable.',
    flags: settingFlags(),
  }),

  async run(given: Given): Promise<number> {
    const { values: settings, problems, warnings } = settingsOf(given);
    for (const warning of warnings) console.error(`Warning: ${warning}`);
    const wrong = [...problems, ...problemsOf(settings)];
    if (wrong.length > 0) {
      console.error([...wrong, 'Trackway was not started.'].join('\n'));
      return 2;
    }
    const count = processCount(settings);
    if (count > 1 && cluster.isPrimary) return runProcesses(count, settings);
    return serve(settings, processNumber()).finally(leave);
  },
};

async function serve(settings: Settings, processNumber: number): Promise<number> {
  const app = await start(settings, { processNumber });
  // Before the welcome message, because the operator may stop the server right after it.
  const stopped = waitForStop(app.stop, { limitMs: settings.stopTimeout * 1000, abandon: () => app.store.close() });
  shrinkHeapOnceIdle();
  if (processNumber > 1) {
    reportReady();
    return stopped;
  }
  console.log(welcome(app, settings));
  reportReady();
  notifySystemd();
  const asking = new AbortController();
  offerNetwork(app, { input: process.stdin, output: process.stdout }, asking.signal).catch((error: Error) =>
    console.error(error.message),
  );
  return stopped.finally(() => asking.abort());
}

/** Node cannot send to the socket itself. Without this command, a service of `Type=notify` is stopped after its time limit. */
function notifySystemd(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  execFile('systemd-notify', ['--ready'], (error) => {
    if (error) console.error(`systemd was not notified of the start: ${error.message}`);
  });
}

async function start(settings: Settings, machine: Machine) {
  try {
    const log = createLog(settings.logLevel);
    // The writer thread of the database loads while the main thread loads the rest of the server.
    const opened = await openStore(settings, { log });
    const { startApp } = await import('@trackway/server/app/start.ts');
    return await startApp(settings, log, { ...machine, opened });
  } catch (error) {
    if (settings.logLevel === 'debug') console.error(error);
    throw new Failure(startFailure(error, settings), { cause: error });
  }
}
