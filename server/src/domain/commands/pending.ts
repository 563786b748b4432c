import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import { geofence } from '@trackway/contract/resources/geofence.ts';
import { message } from '@trackway/contract/resources/message.ts';
import { columnsOf, presentRow, type Row, type TableShape } from '../../platform/storage/shape.ts';
import type { Vault } from '../../platform/vault.ts';
import { recordDeviceEvent } from '../devices/device-events.ts';
import { appendLiveEvents, type LiveEvent } from '../live/append-live-events.ts';
import { mayText } from '../rights.ts';
import { findRow } from '../rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { NOTHING_WANTED } from './firmware.ts';
import { settleCommands } from './tracker-commands.ts';

/** The settings pending for a device: its configuration and its safe zone, each while it is modified. */
export function pendingConfig(store: Store) {
  const shape = shapeOf(deviceConfig);
  const zoneShape = shapeOf(geofence);
  const namesOf = (of: TableShape, alias: string) =>
    of
      .flatMap(columnsOf)
      .map((column) => `${alias}."${column}"`)
      .join(', ');
  const modified = store.prepare<Row>(
    'deviceConfigs.waiting',
    `SELECT ${namesOf(shape, 'c')} FROM "deviceConfigs" c WHERE c."deviceId" = ? AND c."modified" IS NOT NULL`,
  );
  const zone = store.prepare<Row>(
    'geofences.waiting',
    `SELECT ${namesOf(zoneShape, 'g')} FROM "deviceConfigs" c JOIN "geofences" g ON g."id" = c."safeZoneId"
     WHERE c."deviceId" = ? AND g."modified" = 1 AND ${mayText('manage', 'g."userId"', '?')}`,
  );
  const firmwareOf = store.prepare<{ currentFW: string | null }>(
    'deviceConfigs.firmware',
    'SELECT "currentFW" FROM "deviceConfigs" WHERE "deviceId" = ?',
  );
  return {
    /** Counts how often a firmware update is sent. */
    async config(deviceId: number) {
      const row = await modified.get(deviceId);
      if (row !== undefined && row.otaFW !== null && row.otaFW !== row.currentFW)
        await store.query
          .updateTable('deviceConfigs')
          .set((of) => ({ flashTryCount: of(of.fn.coalesce('flashTryCount', of.lit(0)), '+', 1) }))
          .where('deviceId', '=', deviceId)
          .execute();
      return shown(shape, row);
    },
    zone: async (deviceId: number) => shown(zoneShape, await zone.get(deviceId, deviceId, deviceId)),

    /** A confirmation counts only for the pending version: a later change stays pending. */
    async taken(deviceId: number, version: number, now: number): Promise<void> {
      await store.transaction(async (tx) => {
        const taken = await tx
          .updateTable('deviceConfigs')
          .set({ modified: null, receivedAt: now, reset: null, command: null })
          .where('deviceId', '=', deviceId)
          .where('modified', '=', version)
          .returning('id')
          .executeTakeFirst();
        if (taken === undefined) return;
        const event = {
          type: 'bootloader/configTaken',
          description: 'The device confirmed its configuration.',
        } as const;
        await recordDeviceEvent(tx, { ...event, deviceId }, now);
      });
    },

    async zoneTaken(deviceId: number, zoneId: number): Promise<void> {
      const config = await findRow(store.query, 'deviceConfigs', { deviceId }, ['safeZoneId']);
      if (config?.safeZoneId !== zoneId) return;
      await store.query.updateTable('geofences').set({ modified: 0 }).where('id', '=', zoneId).execute();
    },

    /** The request ends when the device runs the requested firmware. */
    async firmware(deviceId: number, currentFW: string, now: number): Promise<void> {
      // Usually it is unchanged, and nothing is written.
      const before = (await firmwareOf.get(deviceId))?.currentFW ?? null;
      if (before === currentFW) return;
      await store.transaction(async (tx) => {
        const changed = await tx
          .updateTable('deviceConfigs')
          .set({ currentFW })
          .where('deviceId', '=', deviceId)
          .where((when) => when.or([when('currentFW', 'is', null), when('currentFW', '!=', currentFW)]))
          .returning('id')
          .executeTakeFirst();
        if (changed === undefined) return;
        await tx
          .updateTable('deviceConfigs')
          .set(NOTHING_WANTED)
          .where('id', '=', changed.id)
          .where('otaFW', '=', currentFW)
          .execute();
        const description = `The device runs firmware ${currentFW}.`;
        const meta = { from: before, to: currentFW };
        await recordDeviceEvent(tx, { deviceId, type: 'bootloader/firmware', description, meta }, now);
      });
    },
  };
}

const shown = <Shown extends object>(shape: TableShape<Shown>, row: Row | undefined) =>
  row ? presentRow(shape, row) : undefined;

/** Maximum number of messages in one response; the others follow in the next ones. */
const AT_ONCE = 20;

/** The messages pending for a device, in order, until it confirms them. */
export function pendingMessages(store: Store, vault: Vault) {
  const shape = shapeOf(message);
  const withPassword = ntripPasswords(store, vault);
  const waiting = store.prepare<Row>(
    'messages.waiting',
    `SELECT ${shape.map(({ name }) => `"${name}"`).join(', ')} FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued'
       AND ("expires" IS NULL OR "expires" > ?) ORDER BY "id" LIMIT ${AT_ONCE}`,
  );
  return {
    next: async (deviceId: number, now: number) =>
      withPassword(
        deviceId,
        (await waiting.all(deviceId, now)).map((row) => presentRow(shape, row)),
      ),

    async taken(deviceId: number, ids: readonly number[], now: number): Promise<void> {
      if (ids.length === 0) return;
      await store.transaction(async (tx) => {
        const taken = await tx
          .updateTable('messages')
          .set({ sent: now, state: 'confirmed' })
          .where('deviceId', '=', deviceId)
          .where('id', 'in', [...ids])
          .where('mobileTerminated', '=', 1)
          .where('sent', 'is', null)
          .returningAll()
          .execute();
        if (taken.length === 0) return;
        await settleCommands(
          tx,
          taken.map(({ id }) => id),
          now,
        );
        const events = taken.map((row): LiveEvent => ({ kind: 'message', deviceId, event: presentRow(shape, row) }));
        await appendLiveEvents(tx, events, now);
      });
    },
  };
}

export const ntripPasswordContext = (deviceId: number) => `rtkStates.ntripPassword:${deviceId}`;

const NTRIP_COMMAND = 'rtk ntrip ';

interface Waiting {
  readonly id: number;
  readonly message: string | null;
  readonly config: string | null;
}

/** Inserts the password of an NTRIP caster into the message for the device, and into no other. */
function ntripPasswords(store: Store, vault: Vault) {
  return async <M extends Waiting>(deviceId: number, waiting: readonly M[]): Promise<readonly M[]> => {
    if (!waiting.some(({ message }) => message?.startsWith(NTRIP_COMMAND))) return waiting;
    const state = await findRow(store.query, 'rtkStates', { deviceId }, ['ntrip', 'ntripPassword', 'ntripMessageId']);
    if (!state?.ntripPassword || state.ntrip === null) return waiting;
    const password = vault.open(state.ntripPassword, ntripPasswordContext(deviceId));
    const config = Buffer.from(JSON.stringify({ ...JSON.parse(state.ntrip), password })).toString('base64');
    return waiting.map((message) => (message.id === state.ntripMessageId ? { ...message, config } : message));
  };
}
