import { DERIVED_DEVICE_FIELDS, device } from '@trackway/contract/resources/device.ts';
import type { Caller } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { columnsOf } from '../../platform/storage/shape.ts';
import { activePlanText } from '../plans/active-subscription.ts';
import { shapeOf } from '../schema/shape.ts';

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
