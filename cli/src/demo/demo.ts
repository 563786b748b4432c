import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@trackway/client/client.ts';
import { SETTINGS, type Settings } from '@trackway/server/app/settings.ts';
import { type RunningApp, startApp } from '@trackway/server/app/start.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { readSettings } from '@trackway/server/platform/settings.ts';
import { transmissions } from '@trackway/simulator/fleet.ts';
import { cityMap } from '@trackway/simulator/street-map/city-map.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { paced } from '../simulate/pace.ts';
import { ReportSender, type Road } from '../simulate/send.ts';
import { startFailure } from '../start-failure.ts';
import { waitForStop } from '../wait-for-stop.ts';
import { daytimeCity } from './daytime-city.ts';
import { demoFleet, pastFleet } from './demo-fleet.ts';
import { type DemoSender, demoRoad } from './demo-road.ts';
import { furnishDemo } from './furnish.ts';
import { createGroups, createRules } from './groups.ts';
import { startHook } from './hook.ts';
import { importPast, type PastOptions } from './past.ts';
import { setUpDemo } from './set-up.ts';
import { upkeepDemo } from './upkeep.ts';

const ACCOUNT = { email: 'demo@example.org', password: 'drive through the town' };
/** The map file of the city. */
const STREETS = 'Westmere.pmtiles';
const DEVICES = 40;
const MAX_DEVICES = 2000;
const SEED = 7;
/** Time limit of the stop. */
const STOP_MS = 9000;
/** The demo starts with some history, which is replayed fast. */
const HISTORY_MS = 40 * 60_000;
const SPEED_UP = 80;
/** The days before are imported while the demo runs, for some of the devices if there are many. */
const PAST_DAYS = 8;
const PAST_DEVICES = 60;
const DAY_MS = 86_400_000;
/** The demo fleet starts at other places than the imported history ends, so there is a gap between them. */
const UNHEARD_MS = 3_600_000;

export const command: Command = {
  describe: () => ({
    about:
      'Run a demo: a temporary server with a simulated fleet in a fictional city. All data is deleted when it stops.',
    flags: {
      port: { about: 'Port to listen on. [default: a free port]', takes: 'NUMBER' },
      devices: { about: `Number of devices, at most ${MAX_DEVICES}. [default: ${DEVICES}]`, takes: 'NUMBER' },
    },
  }),

  async run({ flags }) {
    const port = whole(flags.port, 'port', 0, 0, 65_535);
    const count = whole(flags.devices, 'devices', DEVICES, 1, MAX_DEVICES);
    const now = Date.now();
    const fleet = demoFleet(daytimeCity(SEED, now), count, SEED);
    const folder = await mkdtemp(join(tmpdir(), 'trackway-demo-'));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    // The data is deleted even if the process ends without a stop signal.
    process.once('exit', remove);
    try {
      const data = join(folder, 'data');
      await mkdir(data);
      // Streets with names, parks and water, installed like an operator's map of a region.
      await writeFile(join(data, STREETS), cityMap(fleet.city));
      const hook = await startHook();
      const app = await start({ ...ownSettings(port), data });
      const stopping = new AbortController();
      let sending: Promise<void> | undefined;
      let importing: Promise<void> | undefined;
      let road: Road | undefined;
      const stopped = waitForStop(
        async () => {
          stopping.abort();
          await Promise.all([sending, importing]);
          road?.close?.();
          hook.close();
          await app.stop();
        },
        { limitMs: STOP_MS, abandon: () => app.store.close() },
      );
      const { id: token } = await createClient({ url: app.address }).login({ body: ACCOUNT });
      const client = createClient({ url: app.address, token });
      // Selected for all users, so that viewers of public links see it too.
      await client.chooseMap({ body: { choice: 'region', region: STREETS } });
      const devices = await setUpDemo(client, fleet);
      const groups = await createGroups(client, devices);
      await createRules(client, groups, hook.address);
      const startAt = now - HISTORY_MS;
      const past = { from: now - PAST_DAYS * DAY_MS, until: startAt - UNHEARD_MS };
      await backdateRules(app.store, startAt);
      road = demoRoad({ url: app.address, trackersPort: app.trackersPort, devices });
      const sender = new ReportSender({ road, concurrency: 8, signal: stopping.signal });
      sending = sender.sendAll(paced(transmissions(fleet, startAt), { startAt, speedUp: SPEED_UP }));
      await furnishDemo(client, app.address, devices, hook.address, now);
      await upkeepDemo(client, app.address, devices, groups, past.from, now);
      console.log(greeting(app, devices));
      const ids = devices.slice(0, PAST_DEVICES).map(({ id }) => id);
      importing = createHistory(client, {
        ...past,
        fleet: pastFleet(fleet.city, count, SEED),
        ids,
        signal: stopping.signal,
      });
      return await stopped;
    } finally {
      remove();
    }
  },
};

/**
 * A fix is evaluated by the rules that were in effect at its time. The rules of the demo are dated back before its
 * history, so that the history causes notifications too. No device has reported yet, so no rule is cached.
 */
async function backdateRules({ query }: RunningApp['store'], validFrom: number): Promise<void> {
  await query.updateTable('geofenceVersions').set({ validFrom, shapedAt: validFrom }).execute();
  await query.updateTable('triggerVersions').set({ validFrom }).execute();
}

/** Imports the previous days, and prints the progress in one line. */
async function createHistory(client: Client, options: Omit<PastOptions, 'onProgress'>): Promise<void> {
  const total = options.ids.length;
  const say = (text: string) => `  History    The last ${PAST_DAYS} days ${text}`;
  const { isTTY } = process.stdout;
  try {
    const positions = await importPast(client, {
      ...options,
      onProgress: (done) => isTTY && process.stdout.write(`\r${say(`are imported: ${done} of ${total} devices.`)}`),
    });
    console.log(`${isTTY ? '\r' : ''}${say(`of ${total} devices are imported: ${positions} positions.`)}`);
  } catch (error) {
    if (!options.signal.aborted) console.error(`${say('could not be imported:')} ${(error as Error).message}`);
  }
}

/** The defaults, regardless of the environment: the demo must not touch real data, and calls only this machine. */
const ownSettings = (port: number): Settings => ({
  ...readSettings(SETTINGS, {}).values,
  port,
  trackersPort: 0,
  allowTargets: '127.0.0.0/8',
  adminEmail: ACCOUNT.email,
  adminPassword: ACCOUNT.password,
  rateLimit: 0,
  // Past positions that are sent as new ones make a server warn about clocks.
  logLevel: 'error',
});

async function start(settings: Settings) {
  try {
    return await startApp(settings, createLog(settings.logLevel));
  } catch (error) {
    throw new Failure(startFailure(error, settings), { cause: error });
  }
}

function greeting({ address, trackersPort }: RunningApp, devices: readonly DemoSender[]): string {
  const trackers = devices.filter(({ protocol }) => protocol !== undefined).length;
  return [
    `The demo is running at ${address}`,
    `  E-mail     ${ACCOUNT.email}`,
    `  Password   ${ACCOUNT.password}`,
    `  Devices    ${devices.length}. The last ${HISTORY_MS / 60_000} minutes are replayed in ${HISTORY_MS / SPEED_UP / 1000} seconds, then the fleet is live.`,
    ...(trackersPort === undefined
      ? []
      : [`  Trackers   ${trackers} of them report like trackers, over TCP to port ${trackersPort}.`]),
    '  Stop       Ctrl+C. This deletes all data.',
  ].join('\n');
}

function whole(text: string | undefined, name: string, defaultValue: number, min: number, max: number): number {
  if (text === undefined) return defaultValue;
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}
