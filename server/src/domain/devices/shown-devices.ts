import { DERIVED_DEVICE_FIELDS, device } from '@trackway/contract/resources/device.ts';
import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Caller } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { jsonRows } from '../../platform/storage/json-rows.ts';
import { columnsOf } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { activePlanText } from '../plans/shown-plans.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';

/** Columns of devices whose value depends on the plan, on who reads them, or is always null. */
const WORKED_OUT: ReadonlySet<string> = new Set([...DERIVED_DEVICE_FIELDS, 'btPasskey']);

const STORED = shapeOf(device)
  .flatMap(columnsOf)
  .filter((name) => !WORKED_OUT.has(name))
  .map((name) => `"${name}"`)
  .join(', ');

/** Who reads devices: admins see the passkeys of all devices, other users of the devices they may manage. */
type Reader = Pick<Caller, 'userId' | 'admin'>;

/** The devices of a scope as a reader sees them. What a reader may not know cannot be found by a filter either. */
export function shownTo(scope: Scope, reader: Reader, now: number): Scope {
  return { ...scope, from: { sql: shownDevices(reader.admin), cells: [...passkeyCells(reader), now, now] } };
}

const passkeyCells = ({ userId, admin }: Reader) => (admin ? [] : [userId, userId]);

const PASSKEY = `CASE WHEN d."ownerId" = ? OR EXISTS (SELECT 1 FROM "shares" h
  WHERE h."deviceId" = d."id" AND h."userId" = ? AND h."rights" = 'manage') THEN d."btPasskey" END`;

const shownDevices = (seesAll: boolean) => (seesAll ? FOR_ADMINS : FOR_USERS);
const [FOR_ADMINS, FOR_USERS] = ['d."btPasskey"', PASSKEY].map(
  (passkey) => `(SELECT ${STORED}, d."deletedAt", ${passkey} AS "btPasskey",
  ${activePlanText(`COALESCE(NULLIF(p."sku", ''), p."name")`)} AS "subscriptionType",
  ${activePlanText('p."onoWhitelistId"')} AS "onoWhitelistId",
  CAST(NULL AS BIGINT) AS "siloId", CAST(NULL AS BIGINT) AS "resellerId", CAST(NULL AS BIGINT) AS "resellerPlanId",
  CAST(NULL AS TEXT) AS "stripeSubscription"
  FROM "devices" d) AS "devices"`,
) as [string, string];

/** The devices to read, and the user who reads them. Plain data, so that it can be sent to another thread. */
export interface WantedDevices {
  readonly scope: Pick<Scope, 'sql' | 'cells'>;
  readonly reader: Pick<Caller, 'userId' | 'admin'>;
  readonly now: number;
  /** Only devices with a higher id, and at most so many. */
  readonly after: number;
  readonly limit: number;
}

interface DeviceText {
  readonly id: number;
  /** The device as JSON text, without the brace at its end. */
  readonly openText: string;
  /** The same for its configuration. */
  readonly openConfig: string;
}

const DEVICES = jsonRows(shapeOf(device), 'devices');
const CONFIGS = jsonRows(shapeOf(deviceConfig), 'deviceConfigs');

/** Devices in the order of their ids, as lists show them, with their configurations. */
export async function deviceTexts(
  workplace: Workplace<Tables>,
  { scope, reader, now, after, limit }: WantedDevices,
): Promise<DeviceText[]> {
  const { dialect } = workplace;
  const { from } = shownTo(scope, reader, now);
  const [devices, configs] = [dialect.pick(DEVICES), dialect.pick(CONFIGS)];
  // Which they are is found first: what is worked out of each is worked out of these alone.
  const sql = `SELECT "devices"."id", ${devices.columns}, ${configs.columns}
    FROM (SELECT "id" FROM "devices" WHERE (${scope.sql}) AND "id" > ? ORDER BY "id" LIMIT ?) AS "wanted"
    JOIN ${from!.sql} ON "devices"."id" = "wanted"."id"
    JOIN "deviceConfigs" ON "deviceConfigs"."deviceId" = "devices"."id"`;
  // The name identifies the text: other scopes have other statements.
  const statement = workplace.prepare(`fleet.devices ${fingerprint(sql).slice(0, 16)}`, sql);
  const rows = await statement.lists(...scope.cells, after, limit, ...from!.cells);
  // Mostly they come in order, and whole rows take long to sort where they are read.
  return rows
    .map((cells) => ({
      id: cells[0] as number,
      openText: devices.openTextOf(cells, 1),
      openConfig: configs.openTextOf(cells, 1 + devices.width),
    }))
    .sort((one, other) => one.id - other.id);
}
