import { lookInto } from '../../../server/src/testing/place.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const SHIFTED = new URL('./shifted-clock.ts', import.meta.url).href;
const DAY_MS = 86_400_000;

/** The settings of a server on a machine whose clock is wrong. */
export const clockAhead = (shiftMs: number) => ({
  NODE_OPTIONS: `--import=${SHIFTED}`,
  TEST_CLOCK_SHIFT_MS: String(shiftMs),
});

/** Several servers on one PostgreSQL, ended with the test. */
export async function startNodes(
  t: { after(stop: () => Promise<void>): void },
  place: string,
  settings: readonly Record<string, string>[],
): Promise<ServerProcess[]> {
  const starting = settings.map((one) =>
    startServer('postgres', place, { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8', ...one }),
  );
  t.after(async () => {
    for (const one of await Promise.allSettled(starting)) if (one.status === 'fulfilled') await one.value.stop();
  });
  return Promise.all(starting);
}

/** Silence counts only while servers were up: as if one always had been. Before the first server starts. */
export const alwaysUp = (place: string) =>
  lookInto(place, (store) =>
    store.query
      .insertInto('settings')
      .values({ name: `up since ${Date.now() - 30 * DAY_MS}`, value: String(Date.now() + DAY_MS) })
      .execute(),
  );

/** As if the last reports of some devices were so long ago. */
export const fallSilent = (place: string, deviceIds: readonly number[], agoMs: number) =>
  lookInto(place, (store) =>
    store.query
      .updateTable('deviceStates')
      .set({ reportedAt: Date.now() - agoMs })
      .where('deviceId', 'in', [...deviceIds])
      .execute(),
  );

/** The devices of all notifications, each as often as it was notified. */
export const notifiedDevices = (place: string): Promise<number[]> =>
  lookInto(place, async (store) =>
    (await store.query.selectFrom('notifications').select('deviceId').orderBy('deviceId').execute()).map(
      ({ deviceId }) => Number(deviceId),
    ),
  );
