import {
  type vehicleOperations as contract,
  MOST_PHOTO_BYTES,
} from '@trackway/contract/resources/fleet-tools/vehicle.ts';
import { FileAnswer, type Handlers } from '../../calls.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { newestReading } from '../positions/reading-segments.ts';
import { readings } from '../positions/readings.ts';
import { findRow } from '../rows.ts';
import type { VehicleRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Store } from '../schema/tables.ts';
import { goneSince } from './maintenance-due.ts';

const FIELDS = ['plate', 'vin', 'odometer', 'odometerAt', 'trackerType', 'trackerMetres'] as const;
const EMPTY: Pick<VehicleRow, (typeof FIELDS)[number]> = {
  ...{ plate: null, vin: null, odometer: null, odometerAt: null, trackerType: null, trackerMetres: null },
};

/** The vehicles that devices are in: plate, VIN, odometer and photo. */
export function vehicleOperations(store: Store): Handlers<keyof typeof contract> {
  async function shown(deviceId: number) {
    const row = await store.query
      .selectFrom('vehicles')
      .select([...FIELDS, 'photoType'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirst();
    const { plate, vin, odometerAt, photoType } = row ?? { ...EMPTY, photoType: null };
    const odometer = await odometerNow(store, deviceId, row && enteredIn(row));
    return {
      ...{ plate, vin, hasPhoto: photoType !== null },
      odometer: odometer === null ? null : Math.round(odometer * 10) / 10,
      odometerAt: odometerAt === null ? null : new Date(odometerAt).toISOString(),
    };
  }

  return {
    getVehicle: ({ deviceId }) => shown(deviceId),

    async updateVehicle({ deviceId, body, now }) {
      const { plate, vin, odometer, photo } = body;
      const tracker = odometer == null ? undefined : await trackerOdometer(store, deviceId);
      const values = {
        ...(plate !== undefined && { plate: plate || null }),
        ...(vin !== undefined && { vin: vin || null }),
        ...(odometer !== undefined && {
          ...{ odometer, odometerAt: odometer === null ? null : now },
          ...{ trackerType: tracker?.type ?? null, trackerMetres: tracker?.metres ?? null },
        }),
        ...(photo !== undefined && { photo: photo || null, photoType: photo ? photoTypeOf(photo) : null }),
      };
      await store.query
        .insertInto('vehicles')
        .values({ deviceId, ...values })
        .onConflict((conflict) => {
          const on = conflict.column('deviceId');
          return Object.keys(values).length === 0 ? on.doNothing() : on.doUpdateSet(values);
        })
        .execute();
      return shown(deviceId);
    },

    async getVehiclePhoto({ deviceId }) {
      const row = await findRow(store.query, 'vehicles', { deviceId }, ['photo', 'photoType']);
      if (!row?.photo || !row.photoType) throw modelNotFound('photo of device', deviceId);
      return new FileAnswer(
        row.photoType,
        `vehicle-${deviceId}.${row.photoType.slice('image/'.length)}`,
        Buffer.from(row.photo, 'base64'),
      );
    },
  };
}

function enteredIn({ odometer, odometerAt, trackerType, trackerMetres }: typeof EMPTY): EnteredOdometer | undefined {
  if (odometer === null || odometerAt === null) return undefined;
  const tracker =
    trackerType !== null && trackerMetres !== null ? { type: trackerType, metres: trackerMetres } : undefined;
  return { km: odometer, at: odometerAt, tracker };
}

/** The type by the content: what is served as a picture must be one. */
function photoTypeOf(photo: string): string {
  const refuse = (what: string) => invalidField('vehicle', 'photo', 'format', what);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(photo)) throw refuse('must be base64');
  const bytes = Buffer.from(photo, 'base64');
  if (bytes.length > MOST_PHOTO_BYTES) throw refuse(`is larger than ${MOST_PHOTO_BYTES} bytes`);
  if (bytes.readUIntBE(0, Math.min(3, bytes.length)) === 0xffd8ff) return 'image/jpeg';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  throw refuse('must be a JPEG or WebP file');
}

/** Readings of trackers about the odometer, in metres; that of the vehicle itself first. */
const TYPES = ['obd_odometer_m', 'odometer_m', 'odometer'] as const;
/** Readings of one moment. */
const MOST_AT_ONCE = 1000;

/** What a tracker reported of the odometer. */
interface TrackerOdometer {
  readonly type: string;
  readonly metres: number;
}

/** An odometer as a user entered it, with what the tracker said then. */
interface EnteredOdometer {
  readonly km: number;
  readonly at: number;
  readonly tracker: TrackerOdometer | undefined;
}

/** The newest odometer reading of a tracker. */
async function trackerOdometer(
  { query }: Pick<Store, 'query'>,
  deviceId: number,
  types: readonly string[] = TYPES,
): Promise<TrackerOdometer | undefined> {
  const scope = { deviceId };
  for (const type of types) {
    const newest = await newestReading(query, scope, type);
    if (newest === undefined) continue;
    const { timestamp: at, id } = newest;
    const wanted = { scope, from: at, to: at, columns: ['value'] as const, limit: MOST_AT_ONCE };
    const found = (await readings(query, wanted)).find((reading) => reading.id === id);
    const metres: unknown = found && JSON.parse(found.value);
    if (typeof metres === 'number' && metres >= 0) return { type, metres };
  }
  return undefined;
}

/** The odometer of a vehicle now, in kilometres. */
async function odometerNow(
  store: Store,
  deviceId: number,
  entered: EnteredOdometer | undefined,
): Promise<number | null> {
  if (entered === undefined) {
    const reported = await trackerOdometer(store, deviceId);
    return reported === undefined ? null : reported.metres / 1000;
  }
  const { km, at, tracker } = entered;
  const now = tracker && (await trackerOdometer(store, deviceId, [tracker.type]));
  // A counter that was reset does not give the distance since.
  if (tracker && now && now.metres >= tracker.metres) return km + (now.metres - tracker.metres) / 1000;
  return km + (await goneSince(store)(deviceId, at)).distanceM / 1000;
}
