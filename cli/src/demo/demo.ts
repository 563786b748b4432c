import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@trackway/client/client.ts';
import { type RunningApp, startApp } from '@trackway/server/app.ts';
import { createLog } from '@trackway/server/platform/log.ts';
import { readSettings } from '@trackway/server/platform/settings.ts';
import { SETTINGS, type Settings } from '@trackway/server/settings.ts';
import { transmissions } from '@trackway/simulator/fleet.ts';
import { geoJsonOf } from '@trackway/simulator/geojson.ts';
import { type Command, Failure, UsageError } from '../command.ts';
import { paced } from '../simulate-pace.ts';
import { Deliveries } from '../simulate-send.ts';
import { startFailure } from '../start-failure.ts';
import { untilToldToStop } from '../until-told-to-stop.ts';
import { demoFleet } from './cast.ts';
import { cityOfDay } from './city-now.ts';
import { setStage } from './stage.ts';

const ACCOUNT = { email: 'demo@example.org', password: 'demo-demo' };
const DEVICES = 40;
const MOST_DEVICES = 2000;
const SEED = 7;
/** A demonstration begins with some history, told fast. */
const HISTORY_MS = 40 * 60_000;
const SPEED_UP = 80;

export const command: Command = {
  describe: () => ({
    about:
      'Shows the console at work: a server of its own with a fleet that does not exist in a city that does not exist. Everything is gone when it stops.',
    flags: {
      port: { about: 'Where to listen on this machine; a free port unless said.', takes: 'NUMBER' },
      devices: { about: `How many devices, at most ${MOST_DEVICES}. [${DEVICES}]`, takes: 'NUMBER' },
    },
  }),

  async run({ flags }) {
    const port = whole(flags.port, 'port', 0, 0, 65_535);
    const count = whole(flags.devices, 'devices', DEVICES, 1, MOST_DEVICES);
    const now = Date.now();
    const fleet = demoFleet(cityOfDay(SEED, now), count, SEED);
    const folder = await mkdtemp(join(tmpdir(), 'trackway-demo-'));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    // Also where it ends otherwise than by being told to.
    process.once('exit', remove);
    try {
      const mapOverlay = join(folder, 'city.json');
      await writeFile(mapOverlay, JSON.stringify(geoJsonOf(fleet.city)));
      const app = await start({ ...ownSettings(port), data: join(folder, 'data'), mapOverlay });
      const stopping = new AbortController();
      let sending: Promise<void> | undefined;
      const stopped = untilToldToStop(async () => {
        stopping.abort();
        await sending;
        await app.stop();
      });
      const { id: token } = await createClient({ url: app.address }).login({ body: ACCOUNT });
      const devices = await setStage(createClient({ url: app.address, token }), fleet);
      const startAt = now - HISTORY_MS;
      await inForceSince(app.store, startAt);
      const deliveries = new Deliveries({ url: app.address, devices, concurrency: 8, signal: stopping.signal });
      sending = deliveries.sendAll(paced(transmissions(fleet, startAt), { startAt, speedUp: SPEED_UP }));
      console.log(invitation(app.address, count));
      return await stopped;
    } finally {
      remove();
    }
  },
};

/**
 * A fix is judged by the rules of its own time. Those of the demonstration are older than its history, so that this tells
 * something, too. No device has spoken yet, so nobody has read them.
 */
async function inForceSince({ query }: RunningApp['store'], validFrom: number): Promise<void> {
  await query.updateTable('fenceVersions').set({ validFrom, shapedAt: validFrom }).execute();
  await query.updateTable('triggerVersions').set({ validFrom }).execute();
}

/** The defaults, whatever the environment says: a demonstration must touch no real data and send nothing out. */
const ownSettings = (port: number): Settings => ({
  ...readSettings(SETTINGS, {}).values,
  port,
  adminEmail: ACCOUNT.email,
  adminPassword: ACCOUNT.password,
  rateLimit: 0,
  logLevel: 'warn',
});

async function start(settings: Settings) {
  try {
    return await startApp(settings, createLog(settings.logLevel));
  } catch (error) {
    throw new Failure(startFailure(error, settings), { cause: error });
  }
}

const invitation = (address: string, devices: number) =>
  [
    `The demonstration is at ${address}`,
    `  E-mail     ${ACCOUNT.email}`,
    `  Password   ${ACCOUNT.password}`,
    `  Devices    ${devices}; the last ${HISTORY_MS / 60_000} minutes pass in ${HISTORY_MS / SPEED_UP / 1000} seconds, then it is live`,
    '  Stop       Ctrl+C, which removes everything',
  ].join('\n');

function whole(text: string | undefined, name: string, byDefault: number, least: number, most: number): number {
  if (text === undefined) return byDefault;
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}
