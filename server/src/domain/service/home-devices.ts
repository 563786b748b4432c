import type { HomeDevice, HomeDevices, HomeReading } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import { whereaboutsOperations } from '../tracking/api/whereabouts.ts';

interface Whereabouts {
  readonly deviceId: number;
  readonly name: string | null;
  readonly location: { readonly lat: number; readonly lng: number } | null;
  readonly timestamp: string | null;
  readonly speed: number | null;
  readonly course: number | null;
  readonly accuracy: number | null;
  readonly batteryPct: number | null;
}

interface StoredReading {
  readonly id: number;
  readonly deviceId: number;
  readonly type: string;
  readonly value: string;
  readonly timestamp: number;
}

/** What is newer than this many readings is shown from the start; older ones once the device reports them again. */
const LOOKED_BACK = 20_000;
const AT_ONCE = 2000;
const MOST_ROUNDS = 20;

/**
 * The devices that a user may see, their own and those shared with them, for a home automation. The rights of an admin do
 * not count: a home is no place for everyone's devices.
 * @param email of the user
 * @param types of the readings that are shown
 */
export function homeDevices(store: Store, email: string, types: readonly string[]): HomeDevices {
  const { listWhereabouts } = whereaboutsOperations(store);
  const user = store.prepare<{ id: number }>('home.user', 'SELECT "id" FROM "users" WHERE "email" = ?');
  const head = store.prepare<{ id: number | null }>('home.head', 'SELECT MAX("id") AS "id" FROM "gatewayReadings"');
  const next = store.prepare<StoredReading>(
    'home.readings',
    `SELECT "id", "deviceId", "type", "value", "timestamp" FROM "gatewayReadings"
     WHERE "id" > ? AND "deviceId" IS NOT NULL AND "type" IN (${types.map(() => '?').join(', ')}) ORDER BY "id" LIMIT ?`,
  );
  const readings = new Map<number, Map<string, HomeReading>>();
  let readUpTo: number | undefined;

  async function readOn(): Promise<void> {
    readUpTo ??= Math.max(0, ((await head.get())?.id ?? 0) - LOOKED_BACK);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const rows = await next.all(readUpTo, ...types, AT_ONCE);
      for (const { deviceId, type, value, timestamp } of rows) {
        const known = readings.get(deviceId) ?? new Map<string, HomeReading>();
        if ((known.get(type)?.timestamp ?? 0) <= timestamp) known.set(type, { value: JSON.parse(value), timestamp });
        readings.set(deviceId, known);
      }
      readUpTo = rows.at(-1)?.id ?? readUpTo;
      if (rows.length < AT_ONCE) return;
    }
  }

  return {
    async list() {
      const userId = (await user.get(email.trim().toLowerCase()))?.id;
      if (userId === undefined) return [];
      await readOn();
      // Rights are asked last, as they may end meanwhile.
      const caller = { userId, admin: false, tokenId: 0 };
      const answer = (await listWhereabouts({ userId, caller } as Parameters<typeof listWhereabouts>[0])) as {
        readonly text: string;
      };
      const seen = JSON.parse(answer.text) as Whereabouts[];
      const isSeen = new Set(seen.map(({ deviceId }) => deviceId));
      for (const deviceId of readings.keys()) if (!isSeen.has(deviceId)) readings.delete(deviceId);
      return seen.map((one) => shownDevice(one, readings.get(one.deviceId)));
    },
  };
}

const NO_READINGS: ReadonlyMap<string, HomeReading> = new Map();

function shownDevice(one: Whereabouts, readings: ReadonlyMap<string, HomeReading> = NO_READINGS): HomeDevice {
  const { deviceId, name, location, timestamp, speed, course, accuracy, batteryPct } = one;
  return {
    deviceId,
    name,
    place: location && timestamp !== null ? { ...location, at: timestamp, speed, course, accuracy } : null,
    batteryPct,
    readings,
  };
}
