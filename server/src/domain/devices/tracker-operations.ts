import { accept } from '@trackway/contract/accept.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { device as deviceNoun } from '@trackway/contract/resources/device.ts';
import {
  type trackerOperations as contract,
  undecodedFrame,
  unknownTracker as unknownTrackerNoun,
} from '@trackway/contract/resources/tracker.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { familyOf, listOf } from '../family.ts';
import { findRow } from '../rows.ts';
import type { UnknownTrackerRow } from '../schema/rows/device-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { EVERY_DEVICE } from './access.ts';
import { createDevice, uniqueDevice } from './create.ts';
import { approveIdentity } from './device-keys.ts';
import { shownTo } from './shown-devices.ts';
import type { TrackerNotes } from './tracker-notes.ts';

const ALL: Scope = { sql: '1 = 1', cells: [] };
const devicesBy = (column: 'imei' | 'serial') =>
  `SELECT d."${column}" AS "identity", d."id", d."name", d."identityPending" FROM "devices" d
   WHERE d."deletedAt" IS NULL AND d."${column}" IN (SELECT "identity" FROM "unknownTrackers")`;
/** With the device that has the identity, or claims it, if there is one. */
const UNKNOWN_TRACKERS: Scope = {
  ...ALL,
  from: {
    sql: `(SELECT k.*, c."id" AS "deviceId", c."name" AS "deviceName" FROM "unknownTrackers" k
      LEFT JOIN (SELECT "identity", "id", "name",
          row_number() OVER (PARTITION BY "identity" ORDER BY "identityPending", "id") AS "place"
        FROM (${devicesBy('imei')} UNION ALL ${devicesBy('serial')}) AS "found") c
      ON c."identity" = k."identity" AND c."place" = 1) AS "unknownTrackers"`,
    cells: [],
  },
};
const IMEI = /^\d{15}$/;

/** Decodes what a tracker sent, without storing anything. */
export type Identify = (data: string, now: number) => AnswerOf<'identifyTracker'>;

/** Unknown trackers and undecodable frames: for admins. Every user can identify a sample. */
export function trackerOperations(
  store: Store,
  notes: Pick<TrackerNotes, 'write'>,
  identify: Identify,
): Handlers<keyof typeof contract> {
  const unknownTrackers = familyOf(
    'unknownTracker',
    collectionOf(store, 'unknownTrackers', unknownTrackerNoun),
    () => UNKNOWN_TRACKERS,
  );
  const frames = familyOf('undecodedFrame', collectionOf(store, 'undecodedFrames', undecodedFrame), () => ALL);
  const devices = collectionOf(store, 'devices', deviceNoun);

  async function found(key: number): Promise<Pick<UnknownTrackerRow, 'protocol' | 'identity' | 'otherNames'>> {
    const row = await findRow(store.query, 'unknownTrackers', { id: key }, ['protocol', 'identity', 'otherNames']);
    if (row === undefined) throw modelNotFound('unknownTracker', key);
    return row;
  }

  /** The device that has one of these names, else the one that claims it, of this owner if one is given. */
  async function deviceNamed(names: readonly string[], ownerId: number | null | undefined) {
    const has = await store.query
      .selectFrom('deviceKeys')
      .select('deviceId')
      .where((on) => on.or([on('imei', 'in', names), on('serial', 'in', names)]))
      .executeTakeFirst();
    if (has !== undefined) return has.deviceId;
    const claims = await store.query
      .selectFrom('devices')
      .select(['id', 'ownerId'])
      .where('identityPending', '=', 1)
      .where((on) => on.or([on('imei', 'in', names), on('serial', 'in', names)]))
      .where('deletedAt', 'is', null)
      .$if(typeof ownerId === 'number', (claim) => claim.where('ownerId', '=', ownerId!))
      .orderBy('id')
      .execute();
    if (new Set(claims.map((claim) => claim.ownerId)).size > 1)
      throw invalidField(
        'unknownTracker',
        'userId',
        'ambiguous',
        'is required, because several users claim this identity',
      );
    return claims[0]?.id;
  }

  const open = (call: Call, deviceId: number, names: readonly string[]) =>
    store.transaction(async (tx) => {
      await approveIdentity(tx, deviceId, names);
      await tx.updateTable('devices').set({ allowKeyless: 1 }).where('id', '=', deviceId).execute();
      await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId, detail: { allowKeyless: true } });
    });

  return {
    identifyTracker: async ({ body, now }) => identify(body.data ?? '', now),

    async listUnknownTrackers(call) {
      await notes.write(store);
      return listOf(unknownTrackers, call);
    },

    async listUndecodedFrames(call) {
      await notes.write(store);
      return listOf(frames, call);
    },

    async deleteUnknownTracker(call) {
      await found(call.key);
      await store.query.deleteFrom('unknownTrackers').where('id', '=', call.key).execute();
    },

    async addUnknownTracker(call) {
      const { protocol, identity, otherNames } = await found(call.key);
      const names = [identity, ...(JSON.parse(otherNames) as string[])];
      const ownerId = call.body.userId ?? call.caller.userId;
      const owner = await findRow(store.query, 'users', { id: ownerId }, ['id']);
      if (owner === undefined) throw invalidField('unknownTracker', 'userId', 'unknown', 'is not the id of a user');
      let deviceId = await deviceNamed(names, call.body.userId);
      if (deviceId !== undefined) await uniqueDevice(() => open(call, deviceId!, names));
      else {
        const named = IMEI.test(identity) ? { imei: identity } : { serial: identity };
        const name = call.body.name || `${protocol} ${identity}`;
        const { values } = accept(deviceNoun, 'create', { name, ...named, type: protocol, allowKeyless: true });
        ({ id: deviceId } = await createDevice(store, devices, ownerId, values, call.now, { by: call }));
      }
      await store.query.deleteFrom('unknownTrackers').where('identity', 'in', names).execute();
      const row = await devices.find(shownTo(EVERY_DEVICE, call.caller, call.now), deviceId);
      if (row === undefined) throw modelNotFound('device', deviceId);
      return devices.present(row);
    },
  };
}
