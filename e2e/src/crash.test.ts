import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createCity } from '@trackway/simulator/city.ts';
import { cityFences } from '@trackway/simulator/fences.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import { ordinary } from '@trackway/simulator/profile.ts';
import { Random } from '@trackway/simulator/random.ts';
import type { Transmission } from '@trackway/simulator/report.ts';
import { backdateRules } from '../../server/src/testing/backdate.ts';
import { type Open, onBothEngines, type Place } from '../../server/src/testing/databases.ts';
import { type Effects, effectsIn, isSettled } from '../../server/src/testing/effects.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { adminOf } from './harness/people.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';

/**
 * The server is killed at random moments under load, again and again. What it acknowledged must be there, once, and all
 * that follows from it must be as if nothing had happened. More rounds: TRACKWAY_CRASH_ROUNDS=100.
 */

const ROUNDS = Number(process.env.TRACKWAY_CRASH_ROUNDS ?? 4);
const SEED = Number(process.env.TRACKWAY_CRASH_SEED ?? 1);
const DEVICES = 10;
/** The server lives so long under load before it is killed. */
const LIFE_MS: readonly [number, number] = [10, 500];
const DAY_MS = 86_400_000;
/** Nobody sleeps: a device that reports twice an hour would be in the future before the others have lived a day. */
const PROFILE = {
  ...ordinary,
  intervalsS: [30, 60],
  sleepAfterMin: 0,
  duplicateShare: 0.02,
  clock: { ...ordinary.clock, minutesShare: 0 },
};
const TRIGGERS = [
  { type: 'geofence' },
  { type: 'speed', parameters: { limit: 45, for: 60 } },
  { type: 'temp', parameters: { min: -15, max: 25 } },
  { type: 'motionStop', parameters: { for: 300 } },
  { type: 'button' },
];

/** A fleet on a server: its keys, and what it has still to say, device by device. */
class Devices {
  readonly keys: string[] = [];
  readonly acknowledged: Transmission[] = [];
  readonly #source = transmissions(this.#fleet(), Date.now() - 20 * DAY_MS);
  readonly #unsaid: Transmission[][] = Array.from({ length: DEVICES }, () => []);

  #fleet() {
    return createFleet({ devices: DEVICES, seed: SEED, city: CITY, profile: PROFILE });
  }

  /** Sends as devices do, each one thing after the other, until told to end or the server is gone. */
  async send(address: string, goOn: () => boolean): Promise<void> {
    await Promise.all(
      this.keys.map(async (key, device) => {
        while (goOn()) {
          const next = this.#next(device);
          const body = JSON.stringify({ points: next.points, readings: next.readings });
          const headers = { authorization: key, 'content-type': 'application/json' };
          const answer = await fetch(`${address}/ingest/reports`, { method: 'POST', headers, body }).catch(
            () => undefined,
          );
          if (answer === undefined) return;
          const text = await answer.text().catch(() => undefined);
          // Killed in the middle of its answer: nothing is acknowledged.
          if (text === undefined) return;
          assert.equal(answer.status, 200, text);
          // What is set aside is acknowledged and not stored: then the audit would blame the server for our own mistake.
          assert.deepEqual(JSON.parse(text).quarantined, [], 'the fleet says what can not be right');
          this.#unsaid[device]!.shift();
          this.acknowledged.push(next);
        }
      }),
    );
  }

  #next(device: number): Transmission {
    while (this.#unsaid[device]!.length === 0) {
      const made = this.#source.next().value as Transmission;
      this.#unsaid[made.device]!.push(made);
    }
    return this.#unsaid[device]![0]!;
  }

  /** What was under way when a server died may be stored, acknowledged or not: it is said again first. */
  get pending(): number {
    return this.#unsaid.reduce((sum, each) => sum + each.length, 0);
  }
}

const CITY = createCity({ seed: 5 });

onBothEngines('a server that is killed', { migrations: [] }, (open) => {
  describe('again and again', () => {
    test('loses nothing, doubles nothing, misses nothing', { timeout: 120_000 + ROUNDS * 10_000 }, async () => {
      const random = new Random(SEED);
      const place = await open.emptyPlace();
      const devices = new Devices();
      devices.keys.push(...(await setUp(open, place)));
      for (let round = 0; round < ROUNDS; round++) await liveAndDie(open, place, devices, random.between(...LIFE_MS));
      // The last one lives: it takes what the dead did not, and some more.
      const last = await startServer(open.engine, place);
      const enough = devices.acknowledged.length + Math.max(200, devices.pending);
      await devices.send(last.address, () => devices.acknowledged.length < enough);
      const found = await settled(place);
      await last.stop();

      assertStored(found, devices.acknowledged);
      const expected = await inOrder(open, devices.acknowledged);
      for (const kind of Object.keys(expected) as (keyof Effects)[]) {
        const [missing, extra] = [without(expected[kind], found[kind]), without(found[kind], expected[kind])];
        assert.deepEqual({ missing, extra }, { missing: [], extra: [] }, `${kind} are not as in a quiet life`);
      }
      const { points, trips, notifications } = found;
      console.log(
        `${ROUNDS} kills: ${points.length} points, ${trips.length} trips, ${notifications.length} notifications`,
      );
      assert.ok(trips.length > 0 && notifications.length > 0, 'nothing happened, so nothing was tested');
    });
  });
});

async function setUp({ engine }: Open<unknown>, place: Place): Promise<string[]> {
  const server = await startServer(engine as 'sqlite', place);
  const api = apiOf(server.address);
  const keys: string[] = [];
  try {
    const { token, id } = await adminOf(api);
    const make = async (path: string, body: unknown) => (await api('POST', `/api${path}`, { token, body })).body;
    for (const fence of cityFences(CITY)) await make(`/users/${id}/geofences`, fence);
    for (let device = 0; device < DEVICES; device++) {
      const made = await make('/devices', { name: `Device ${device}` });
      keys.push(made.deviceKey);
      for (const trigger of TRIGGERS) await make(`/devices/${made.id}/notificationTriggers`, trigger);
    }
  } finally {
    api.close();
    await server.stop();
  }
  await backdateRules(place);
  return keys;
}

async function liveAndDie({ engine }: Open<unknown>, place: Place, devices: Devices, lifeMs: number): Promise<void> {
  const server = await startServer(engine as 'sqlite', place);
  let isAlive = true;
  const sending = devices.send(server.address, () => isAlive);
  await pause(lifeMs);
  isAlive = false;
  await kill(server);
  await sending;
}

async function kill(server: ServerProcess): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  while (server.isRunning()) await pause(5);
  await server.stop();
}

/** What there is once everything is judged. */
async function settled(place: Place): Promise<Effects> {
  for (;;) {
    // Twice, since the clock may have made something due in between.
    if (await lookInto(place, (store) => isSettled(store, Date.now() + 5000))) break;
    await pause(200);
  }
  return lookInto(place, effectsIn);
}

/** The same said to a server that nothing happens to: every device in the order of its fixes, each once. */
async function inOrder(open: Open<unknown>, said: readonly Transmission[]): Promise<Effects> {
  const place = await open.emptyPlace();
  const keys = await setUp(open, place);
  const server = await startServer(open.engine, place);
  try {
    for (const [device, key] of keys.entries()) {
      const own = said.filter((each) => each.device === device);
      const items = [
        ...own.flatMap(({ points }) => points.map((point) => ({ points: [point], readings: [] }))),
        ...own.flatMap(({ readings }) => readings.map((reading) => ({ points: [], readings: [reading] }))),
      ].sort((a, b) => timeOf(a) - timeOf(b));
      for (let start = 0; start < items.length; start += 500) {
        const some = items.slice(start, start + 500);
        const body = {
          points: some.flatMap(({ points }) => points),
          readings: some.flatMap(({ readings }) => readings),
        };
        const headers = { authorization: key, 'content-type': 'application/json' };
        const answer = await fetch(`${server.address}/ingest/reports`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        assert.equal(answer.status, 200, await answer.text());
      }
    }
    return await settled(place);
  } finally {
    await server.stop();
  }
}

const timeOf = (item: { points: readonly { timestamp: unknown }[]; readings: readonly { timestamp: unknown }[] }) =>
  [...item.points, ...item.readings][0]!.timestamp as number;

/** Each acknowledged point is there once. Devices are made in the order of their places in the fleet, so ids follow. */
function assertStored({ points }: Effects, acknowledged: readonly Transmission[]): void {
  const stored = new Map<string, number>();
  for (const line of points) {
    const { deviceId, timestamp } = JSON.parse(line);
    const key = `${deviceId} ${timestamp}`;
    stored.set(key, (stored.get(key) ?? 0) + 1);
  }
  const said = new Set(
    acknowledged.flatMap(({ device, points: own }) => own.map(({ timestamp }) => `${device + 1} ${timestamp}`)),
  );
  const lost = [...said].filter((key) => !stored.has(key));
  const doubled = [...stored].filter(([, count]) => count > 1).map(([key]) => key);
  assert.deepEqual({ lost, doubled }, { lost: [], doubled: [] });
}

const without = (all: readonly string[], some: readonly string[]) => {
  const left = [...all];
  const gone = new Map<string, number>();
  for (const line of some) gone.set(line, (gone.get(line) ?? 0) + 1);
  return left.filter((line) => {
    const count = gone.get(line) ?? 0;
    gone.set(line, count - 1);
    return count <= 0;
  });
};
