import assert from 'node:assert/strict';
import { createCity } from '@trackway/simulator/city.ts';
import { cityFences } from '@trackway/simulator/fences.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import { ordinary } from '@trackway/simulator/profile.ts';
import type { Transmission } from '@trackway/simulator/report.ts';
import { backdateRules } from '../../server/src/testing/backdate.ts';
import type { Open, TestDatabasePlace } from '../../server/src/testing/databases.ts';
import { effectsIn, isEvaluated, letClockDecide, type RecordedEffects } from '../../server/src/testing/effects.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto, MIGRATIONS } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { clientOf } from './harness/checked-client.ts';
import { adminOf } from './harness/people.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';

/** A fleet whose server is killed, and the effects its reports must have nevertheless. */

export const SEED = Number(process.env.TRACKWAY_CRASH_SEED ?? 1);
export const DEVICES = 10;
const CITY = createCity({ seed: 5 });
const DAY_MS = 86_400_000;
/** No device sleeps: one that reports twice an hour would be in the future before the others have covered a day. */
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

export function fleet(): Generator<Transmission> {
  const devices = createFleet({ devices: DEVICES, seed: SEED, city: CITY, profile: PROFILE });
  return transmissions(devices, Date.now() - 20 * DAY_MS);
}

/** A fleet that has said nothing yet: where it is stored, and the keys of the devices. */
export interface Fresh {
  readonly place: TestDatabasePlace;
  readonly keys: readonly string[];
}

/** Creates the fleet on a server, with its fences and triggers. */
export async function setUp(open: Open<unknown>): Promise<Fresh> {
  const place = await open.migratedPlace(MIGRATIONS);
  const server = await startServer(open.storeKind, place);
  const api = apiOf(server.address);
  const keys: string[] = [];
  try {
    const { token, id } = await adminOf(api);
    const client = clientOf(api, token);
    for (const fence of cityFences(CITY))
      await client.createGeofence({ id, body: { ...fence, outline: fence.outline?.slice() } });
    for (let device = 0; device < DEVICES; device++) {
      const made = await client.createDevice({ body: { name: `Device ${device}` } });
      keys.push(made.deviceKey!);
      for (const body of TRIGGERS) await client.createNotificationTrigger({ id: made.id, body });
    }
  } finally {
    api.close();
    await server.stop();
  }
  await backdateRules(place);
  return { place, keys };
}

/** Undefined if the server ended before it answered. */
export async function report(
  address: string,
  key: string,
  { points, readings }: Pick<Transmission, 'points' | 'readings'>,
): Promise<{ readonly quarantined: readonly unknown[] } | undefined> {
  const headers = { authorization: key, 'content-type': 'application/json' };
  const body = JSON.stringify({ points, readings });
  const answer = await fetch(`${address}/ingest/reports`, { method: 'POST', headers, body }).catch(() => undefined);
  // Killed in the middle of its answer: nothing is acknowledged.
  const text = await answer?.text().catch(() => undefined);
  if (answer === undefined || text === undefined) return undefined;
  assert.equal(answer.status, 200, text);
  return JSON.parse(text);
}

/** Waits until a server has evaluated all reports, ends it, and returns the effects. */
export async function outcome(place: TestDatabasePlace, server: ServerProcess): Promise<RecordedEffects> {
  await lookInto(place, (store) => eventually('everything is evaluated', () => isEvaluated(store)));
  await server.stop();
  return lookInto(place, async (store) => {
    // Due times wait a while for devices that may still be sending: these are not.
    await letClockDecide(store, Date.now() + DAY_MS);
    return effectsIn(store);
  });
}

/** The effects of the same reports on a server that is never killed: in the order of fixes, each once. */
async function quietOutcome(
  open: Open<unknown>,
  fresh: Fresh,
  said: readonly Transmission[],
): Promise<RecordedEffects> {
  const place = await open.copyOf(fresh.place);
  const server = await startServer(open.storeKind, place);
  for (const [device, key] of fresh.keys.entries()) {
    const own = said.filter((each) => each.device === device);
    const items = [
      ...own.flatMap(({ points }) => points.map((point) => ({ points: [point], readings: [] }))),
      ...own.flatMap(({ readings }) => readings.map((reading) => ({ points: [], readings: [reading] }))),
    ].sort((a, b) => timeOf(a) - timeOf(b));
    for (let start = 0; start < items.length; start += 500) {
      const some = items.slice(start, start + 500);
      const points = some.flatMap((item) => item.points);
      const readings = some.flatMap((item) => item.readings);
      assert.ok(await report(server.address, key, { points, readings }));
    }
  }
  return outcome(place, server);
}

const timeOf = (item: { points: readonly { timestamp: unknown }[]; readings: readonly { timestamp: unknown }[] }) =>
  [...item.points, ...item.readings][0]!.timestamp as number;

/** All effects must equal those of a server that is never killed. */
export async function assertAsInQuiet(
  open: Open<unknown>,
  fresh: Fresh,
  found: RecordedEffects,
  said: readonly Transmission[],
): Promise<void> {
  const expected = await quietOutcome(open, fresh, said);
  for (const kind of Object.keys(expected) as (keyof RecordedEffects)[]) {
    const [missing, extra] = [without(expected[kind], found[kind]), without(found[kind], expected[kind])];
    assert.deepEqual({ missing, extra }, { missing: [], extra: [] }, `${kind} are not as in a quiet life`);
  }
  const { trips, notifications } = found;
  assert.ok(trips.length > 0 && notifications.length > 0, 'nothing happened, so nothing was tested');
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
