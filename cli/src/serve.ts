import { startApp } from '@trackway/server/app.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { shrinkHeapOnceIdle } from '@trackway/server/platform/memory/shrink-heap.ts';
import type { Settings } from '@trackway/server/settings.ts';
import { type Command, Failure, type Given } from './command.ts';
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
    const app = await start(settings);
    // Before the welcome, since whoever reads it may stop the server right away.
    const stopped = waitForStop(app.stop);
    console.log(welcome(app, settings));
    shrinkHeapOnceIdle();
    return stopped;
  },
};

async function start(settings: Settings) {
  try {
    return await startApp(settings, createLog(settings.logLevel));
  } catch (error) {
    if (settings.logLevel === 'debug') console.error(error);
    throw new Failure(startFailure(error, settings), { cause: error });
  }
}
