import { accept } from '@trackway/contract/accept.ts';
import { device as deviceNoun } from '@trackway/contract/resources/device.ts';
import {
  type trackerOperations as contract,
  knock as knockNoun,
  undecodedFrame,
} from '@trackway/contract/resources/tracker.ts';
import type { Call, Handlers } from '../../../calls.ts';
import type { Scope } from '../../../platform/collection.ts';
import { invalidField, modelNotFound } from '../../../refusals.ts';
import { recordDeviceAudit } from '../../audit/record.ts';
import { familyOf, listOf } from '../../family.ts';
import { collectionOf } from '../../schema/collection.ts';
import type { KnockRow } from '../../schema/rows/device-rows.ts';
import type { Store } from '../../schema/tables.ts';
import { EVERY_DEVICE } from '../access.ts';
import { createDevice } from '../create.ts';
import { shownTo } from '../shown-devices.ts';
import type { TrackerNotes } from './tracker-notes.ts';

const ALL: Scope = { sql: '1 = 1', cells: [] };
const IMEI = /^\d{15}$/;

/** Who knocked, and what could not be read: for admins. */
export function trackerOperations(store: Store, notes: Pick<TrackerNotes, 'write'>): Handlers<keyof typeof contract> {
  const knocks = familyOf('knock', collectionOf(store, 'knocks', knockNoun), () => ALL);
  const frames = familyOf('undecodedFrame', collectionOf(store, 'undecodedFrames', undecodedFrame), () => ALL);
  const devices = collectionOf(store, 'devices', deviceNoun);

  async function found(key: number): Promise<Pick<KnockRow, 'protocol' | 'identity' | 'otherNames'>> {
    const row = await store.query
      .selectFrom('knocks')
      .select(['protocol', 'identity', 'otherNames'])
      .where('id', '=', key)
      .executeTakeFirst();
    if (row === undefined) throw modelNotFound('knock', key);
    return row;
  }

  /** The device that has one of these names, if it may not report by them yet. */
  async function deviceNamed(names: readonly string[]): Promise<number | undefined> {
    const row = await store.query
      .selectFrom('devices')
      .select('id')
      .where((on) => on.or([on('imei', 'in', [...names]), on('serial', 'in', [...names])]))
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return row?.id;
  }

  const open = (call: Call, deviceId: number) =>
    store.transaction(async (tx) => {
      await tx.updateTable('devices').set({ allowKeyless: 1 }).where('id', '=', deviceId).execute();
      await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId, detail: { allowKeyless: true } });
    });

  return {
    async listKnocks(call) {
      await notes.write(store);
      return listOf(knocks, call);
    },

    async listUndecodedFrames(call) {
      await notes.write(store);
      return listOf(frames, call);
    },

    async deleteKnock(call) {
      await found(call.key);
      await store.query.deleteFrom('knocks').where('id', '=', call.key).execute();
      return undefined;
    },

    async takeInKnock(call) {
      const { protocol, identity, otherNames } = await found(call.key);
      const names = [identity, ...(JSON.parse(otherNames) as string[])];
      const ownerId = call.body.userId ?? call.caller.userId;
      const owner = await store.query.selectFrom('users').select('id').where('id', '=', ownerId).executeTakeFirst();
      if (owner === undefined) throw invalidField('knock', 'userId', 'unknown', 'is not the id of a user');
      let deviceId = await deviceNamed(names);
      if (deviceId !== undefined) await open(call, deviceId);
      else {
        const named = IMEI.test(identity) ? { imei: identity } : { serial: identity };
        const name = call.body.name || `${protocol} ${identity}`;
        const { values } = accept(deviceNoun, 'create', { name, ...named, type: protocol, allowKeyless: true });
        ({ id: deviceId } = await createDevice(store, devices, ownerId, values, call.now, { by: call }));
      }
      await store.query.deleteFrom('knocks').where('identity', 'in', names).execute();
      const row = await devices.find(shownTo(EVERY_DEVICE, call.caller, call.now), deviceId);
      if (row === undefined) throw modelNotFound('device', deviceId);
      return devices.present(row);
    },
  };
}
