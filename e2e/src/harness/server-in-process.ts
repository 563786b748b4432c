import assert from 'node:assert/strict';
import { SETTINGS } from '@trackway/server/app/settings.ts';
import { startApp } from '@trackway/server/app/start.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { environmentName, readSettings } from '@trackway/server/platform/settings.ts';
import { problemsOf } from '../../../cli/src/setting-rules.ts';
import { welcome } from '../../../cli/src/welcome.ts';
import type { Open, TestDatabasePlace } from '../../../server/src/testing/databases.ts';
import { environmentOf, MAX_OUTPUT, type Server } from './server-process.ts';

const NAMES = new Set(Object.keys(SETTINGS).map(environmentName));

/**
 * Starts the service in this process, which takes a tenth of the time of a process of its own. For tests that neither kill
 * it nor test its start or its memory; see `startServer` for those.
 */
export async function startInProcess(
  engine: Open<unknown>['storeKind'],
  place: TestDatabasePlace,
  settings: Record<string, string> = {},
): Promise<Server> {
  const environment = environmentOf(engine, place, settings);
  const { values, problems } = readSettings(SETTINGS, settingsIn(environment));
  assert.deepEqual([...problems, ...problemsOf(values)], [], 'the settings are right');
  const restore = setOthers(environment);
  let output = '';
  const write = (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT);
  };
  try {
    const app = await startApp(values, createLog(values.logLevel, { write }), {
      networkAddresses: () => ['127.0.0.2'],
    });
    write(`${welcome(app, values)}\n`);
    let stopping: Promise<void> | undefined;
    return {
      address: app.address,
      trackersPort: app.trackersPort!,
      output: () => output,
      async stop() {
        stopping ??= app.stop().finally(restore);
        await stopping;
        return 0;
      },
    };
  } catch (error) {
    restore();
    throw error;
  }
}

const settingsIn = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => NAMES.has(name)));

/** Sets what is no setting, such as the credentials of a queue, for the whole process. */
function setOthers(environment: Record<string, string>): () => void {
  const others = Object.entries(environment).filter(([name]) => !NAMES.has(name));
  const before = others.map(([name]) => [name, process.env[name]] as const);
  for (const [name, value] of others) process.env[name] = value;
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
}
