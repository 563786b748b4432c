import {
  type driverOperations as contract,
  type DeviceDriver,
  driver,
  MOST_DRIVERS,
} from '@trackway/contract/resources/fleet-tools/driver.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { tagsOf } from '../devices/tags.ts';
import { children, familyOf, listOf, readOf, removeOf, rowOf } from '../family.ts';
import { rangeOf } from '../range.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { shiftReader } from './read-shifts.ts';
import { isNoTag, spelled } from './shifts.ts';

const iso = (at: number) => new Date(at).toISOString();

/** The drivers of a user, and sign-ons to devices. */
export function driverOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'drivers', driver);
  const family = familyOf('driver', rows, ({ userId }) => children('userId', userId));
  const shiftsOf = shiftReader(store);

  async function drivingNow(deviceId: number, now: number): Promise<DeviceDriver> {
    const { shifts, names } = await shiftsOf(deviceId, now, now, now);
    const last = shifts.findLast(({ end }) => end === null);
    if (last === undefined) return { driverId: null, driverName: null, since: null, by: null };
    return {
      driverId: last.driverId,
      driverName: names.get(last.driverId) ?? null,
      since: iso(last.start),
      by: last.by,
    };
  }

  const ofOwner = (on: Tx, deviceId: number) =>
    on
      .selectFrom('drivers as r')
      .innerJoin('devices as d', 'd.ownerId', 'r.userId')
      .select(['r.id', 'r.name'])
      .where('d.id', '=', deviceId);

  return {
    listDrivers: (call) => listOf(family, call),
    getDriver: (call) => readOf(family, call),

    createDriver: ({ userId, body, now }) =>
      store.transaction(async (tx) => {
        const { others, count } = await lockedTags(tx, userId);
        if (count >= MOST_DRIVERS)
          throw invalidField(
            'driver',
            'name',
            'tooMany',
            `exceeds the limit of ${MOST_DRIVERS} drivers: delete one first`,
          );
        requireFree(body.tags, others);
        return rows.present(await rows.insert({ ...body, created: now }, tx, { userId }));
      }),

    async updateDriver(call) {
      await rowOf(family, call);
      return store.transaction(async (tx) => {
        const { others } = await lockedTags(tx, call.userId, call.key);
        requireFree(call.body.tags, others);
        const row = await rows.update(call.key, call.body, tx);
        if (row === undefined) throw childNotFound('driver', call.key);
        return rows.present(row);
      });
    },

    deleteDriver: (call) => removeOf(family, call),

    listDeviceDrivers: async ({ deviceId }) =>
      await ofOwner(store.query, deviceId).orderBy('r.name').orderBy('r.id').limit(MOST_DRIVERS).execute(),

    getDeviceDriver: ({ deviceId, now }) => drivingNow(deviceId, now),

    async signOnDriver({ deviceId, body, caller, now }) {
      const at = momentOf(body.at, now);
      const driverId = body.driverId!;
      await store.transaction(async (tx) => {
        if ((await ofOwner(tx, deviceId).where('r.id', '=', driverId).executeTakeFirst()) === undefined)
          throw invalidField('signOn', 'driverId', 'unknown', `is no driver of the owner of the device: ${driverId}`);
        const values = { deviceId, driverId, at, userId: caller.userId, created: now };
        await tx.insertInto('driverSignOns').values(values).execute();
      });
      return drivingNow(deviceId, now);
    },

    async signOffDriver({ deviceId, parameters, caller, now }) {
      const at = momentOf(parameters.at, now);
      const values = { deviceId, driverId: null, at, userId: caller.userId, created: now };
      await store.query.insertInto('driverSignOns').values(values).execute();
    },

    async listShifts({ deviceId, parameters, now }) {
      const { from, to } = rangeOf(parameters, now);
      const { shifts, names } = await shiftsOf(deviceId, from, to, now);
      return shifts.map(({ driverId, start, end, by }) => ({
        driverId,
        driverName: names.get(driverId) ?? '',
        start: iso(start),
        end: end === null ? null : iso(end),
        by,
      }));
    },
  };
}

function momentOf(at: string | null | undefined, now: number): number {
  const moment = at == null ? now : new Date(at).getTime();
  if (moment > now) throw invalidField('signOn', 'at', 'future', 'must not be in the future');
  return moment;
}

/** The tags of a user's other drivers; locks, so that calls for one user run one after another. */
async function lockedTags(tx: Tx, userId: number, except?: number) {
  await tx.updateTable('users').set({ id: userId }).where('id', '=', userId).execute();
  const drivers = await tx.selectFrom('drivers').select(['id', 'tags']).where('userId', '=', userId).execute();
  const others = new Set<string>();
  for (const driver of drivers) if (driver.id !== except) for (const tag of tagsOf(driver)) others.add(spelled(tag));
  return { others, count: drivers.length };
}

function requireFree(tags: readonly string[] | null | undefined, others: ReadonlySet<string>): void {
  for (const tag of tags ?? []) {
    if (isNoTag(spelled(tag)))
      throw invalidField('driver', 'tags', 'format', `must have a letter or a digit other than 0: ${tag}`);
    if (others.has(spelled(tag)))
      throw invalidField('driver', 'tags', 'uniqueness', `belongs to another driver: ${tag}`);
  }
}
