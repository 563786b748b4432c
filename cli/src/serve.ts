import { resolve } from 'node:path';
import { startApp } from '@trackway/server/app.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { readSettings } from '@trackway/server/platform/settings.ts';
import { SETTINGS } from '@trackway/server/settings.ts';

const STOP_MS = 9_000;

/** Runs the service until it is told to stop. */
export async function serve(_words: readonly string[]): Promise<number> {
  const { values: settings } = readSettings(SETTINGS, process.env);
  const app = await startApp(settings, createLog(settings.logLevel));
  console.log(`Trackway is at ${app.address}`);
  console.log(`Its data is in ${resolve(settings.data)}`);
  if (app.setupToken) console.log(`Set up: ${app.address}/setup#${app.setupToken}`);
  return new Promise((done) => {
    const stop = async () => {
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await app.stop();
      done(0);
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
}
