import type { AnswerOf } from '@trackway/contract/operations.ts';
import type {
  fleetOperations as contract,
  nearbyOperations as nearbyContract,
} from '@trackway/contract/resources/fleet.ts';
import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { inside, type insideOperations as insideContract } from '@trackway/contract/resources/inside.ts';
import { parseId } from '@trackway/contract/values.ts';
import { type Call, type Handlers, JsonStream, JsonText } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { type Cell, columnsOf } from '../../../platform/storage/shape.ts';
import { childNotFound } from '../../../refusals.ts';
import { chunkedText } from '../../chunked-text.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../../devices/access.ts';
import { bluetoothAddress } from '../../devices/bluetooth.ts';
import { children, ownerOf, searchOf, unlessBusy } from '../../family.ts';
import { packedReadingRows } from '../../positions/packed-reading-rows.ts';
import { cutSpan, spanOf } from '../../range.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Store } from '../../schema/tables.ts';
import { devicesInZone } from './in-zone-work.ts';
import { nearbyDevices } from './nearby-work.ts';
import { summaryChunk } from './summary-chunk.ts';

const DEFAULT_POINTS = 5;

/** The fleet of a user with its newest positions. Everything is read on separate threads. */
export function fleetOperations(
  store: Store,
): Handlers<keyof Pick<typeof contract, 'getDeviceSummary' | 'getDevicesInZone'>> {
  const summaryOf = chunkedText('summaries', store.readWork(summaryChunk));
  const inZone = store.readWork(devicesInZone);

  const devicesOf = ({ caller, userId, now }: Pick<Call, 'caller' | 'userId' | 'now'>) => ({
    scope: withinToken(caller, visibleTo(userId)),
    reader: { userId: caller.userId, admin: caller.admin },
    now,
  });

  return {
    async getDeviceSummary(call) {
      const { pointCount, dateRange, hideApprox } = call.parameters;
      const points = {
        count: pointCount ?? DEFAULT_POINTS,
        ...(dateRange && { span: spanOf(dateRange, call.now) }),
        hideApprox: hideApprox === true,
      };
      return new JsonStream<AnswerOf<'getDeviceSummary'>>(
        await summaryOf({ ...devicesOf(call), points }, ownerOf(call)),
      );
    },

    async getDevicesInZone(call) {
      const { zoneId, zoneType, includeApprox = false } = call.parameters;
      const fences = zoneId !== undefined ? { id: zoneId } : zoneType !== undefined ? { type: zoneType } : undefined;
      if (fences === undefined) throw badRequest('zoneId or zoneType is required');
      const question = { ...devicesOf(call), userId: call.userId, fences, includeApprox };
      const answer = await unlessBusy('searches', inZone(question, ownerOf(call)));
      if ('text' in answer) return new JsonText<AnswerOf<'getDevicesInZone'>>(answer.text);
      if (answer.why === 'unknown') throw childNotFound('geofence', zoneId!);
      throw badRequest('The response would be too large: request one zone');
    },
  };
}

const DAY_MS = 86_400_000;
const MOST = 10_000;

/** The sightings of a gateway. */
export function nearbyOperations(store: Store): Handlers<keyof typeof nearbyContract> {
  const sensed = store.readWork(nearbyDevices);
  const packed = packedReadingRows(store, 'gatewayId');
  const shape = shapeOf(gatewayReading);
  const columns = shape.flatMap(columnsOf).map((name) => `"${name}"`);

  return {
    async nearbyDevices({ deviceId: gatewayId, caller, parameters: { dateRange, correlationId }, ...call }) {
      const isOpen = dateRange === undefined && correlationId === undefined;
      const span = isOpen ? { from: call.now - DAY_MS, to: call.now } : dateRange && cutSpan(dateRange, call.now);
      const seen = withinToken(caller, caller.admin ? EVERY_DEVICE : visibleTo(caller.userId));
      const question = {
        gatewayId,
        seen,
        ...(span && { span }),
        ...(correlationId !== undefined && { correlationId }),
      };
      const text = await unlessBusy('searches', sensed(question, ownerOf({ caller })));
      if (text === undefined) throw badRequest('The response would be too large: request a shorter range');
      return new JsonText<AnswerOf<'nearbyDevices'>>(text);
    },

    async nearbyDeviceData(call) {
      const { nearbyId, dateRange } = call.parameters;
      const { from, to } = cutSpan(dateRange, call.now);
      const range = [call.deviceId, from, to];
      const scope = children('gatewayId', call.deviceId);
      const isPacked = (await packed.within(scope, { from, to })) !== undefined;
      const source = isPacked ? packed.source(scope).sql : '"gatewayReadings"';
      const which = about(nearbyId, range, source);
      const search = {
        sql: `SELECT ${columns.join(', ')} FROM ${source}
          WHERE ${SIGHTINGS} AND ${which.sql}
          ORDER BY "timestamp" DESC, "id" DESC LIMIT ${MOST}`,
        cells: [...range, ...which.cells],
        shape,
      };
      if (!isPacked) return searchOf(store, { ...search, owner: ownerOf(call) });
      const text = packed.search(scope, { ...search, range: { from, to } }, ownerOf(call));
      return new JsonText<AnswerOf<'nearbyDeviceData'>>(await unlessBusy('searches', text));
    },
  };
}

const SIGHTINGS = '"gatewayId" = ? AND "timestamp" >= ? AND "timestamp" <= ?';

/** Readings of one sensed device. A received identifier takes precedence over the id of a device. */
function about(nearbyId: string, range: readonly Cell[], source: string): { sql: string; cells: readonly Cell[] } {
  const address = bluetoothAddress(nearbyId);
  if (address !== undefined) return { sql: `${FOLDED} = ?`, cells: [address.replaceAll(':', '')] };
  const deviceId = parseId(nearbyId);
  if (deviceId === undefined) return { sql: '"sensorDeviceId" = ?', cells: [nearbyId] };
  return {
    sql: `("sensorDeviceId" = ? OR ("deviceId" = ? AND NOT EXISTS (SELECT 1 FROM ${source}
      WHERE ${SIGHTINGS} AND "sensorDeviceId" = ?)))`,
    cells: [nearbyId, deviceId, ...range, nearbyId],
  };
}

/** An address without what separates its digits. */
const FOLDED = [':', '-', '.', ' '].reduce(
  (text, sign) => `replace(${text}, '${sign}', '')`,
  'lower("sensorDeviceId")',
);

/** Who is inside a fence now, as the devices' states know it. */
export function insideOperations(store: Store): Handlers<keyof typeof insideContract> {
  const shape = shapeOf(inside);
  return {
    async listDevicesInside({ userId, caller, key }) {
      const fence = await store.query
        .selectFrom('geofences')
        .select('deviceId')
        .where('id', '=', key)
        .where('userId', '=', userId)
        .executeTakeFirst();
      if (fence === undefined) throw childNotFound('geofence', key);
      const version = await store.query
        .selectFrom('geofenceVersions')
        .select('shapedAt')
        .where('fenceId', '=', key)
        .where('validTo', 'is', null)
        .executeTakeFirst();
      if (version === undefined) return [];
      const scope = withinToken(caller, visibleTo(userId));
      const only = fence.deviceId === null ? [] : [fence.deviceId];
      const member = store.dialect.pick(MEMBER_OF)(key);
      return searchOf(store, {
        sql: insideSql(store.dialect.pick(MEMBERSHIP_SQL), scope.sql, only.length > 0),
        cells: [member, ...scope.cells, ...only, member, member, version.shapedAt],
        shape,
        owner: `user:${caller.userId}`,
      });
    },
  };
}

/**
 * The devices are those the user may see now, whatever states still know of shares that ended; the membership is that of
 * the fence's shape now, since one of another shape says nothing about this one.
 */
function insideSql({ inside, since, shapedAt }: MembershipSql, scope: string, isForOne: boolean): string {
  return `
SELECT v."id" AS "deviceId", v."name", ${since} AS "since"
FROM (SELECT "id", "name" FROM "devices" WHERE ${scope}${isForOne ? ' AND "id" = ?' : ''}) v
JOIN "deviceStates" s ON s."deviceId" = v."id"
WHERE ${inside} AND ${shapedAt} = ?
ORDER BY 3, 1`;
}

/** The place of a fence's membership in the state, as each engine takes it. */
const MEMBER_OF: ByDatabase<(fenceId: number) => string> = {
  sqlite: (fenceId) => `$.fences."${fenceId}"`,
  postgres: (fenceId) => String(fenceId),
};

type MembershipSql = Readonly<Record<'inside' | 'since' | 'shapedAt', string>>;

const MEMBERSHIP_SQL: ByDatabase<MembershipSql> = {
  sqlite: {
    inside: `s."state" ->> (? || '.inside') = 1`,
    since: `s."state" ->> (? || '.since')`,
    shapedAt: `s."state" ->> (? || '.shapedAt')`,
  },
  postgres: {
    inside: `json_extract_path_text(s."state"::json, 'fences', ?, 'inside') = 'true'`,
    since: `json_extract_path_text(s."state"::json, 'fences', ?, 'since')::bigint`,
    shapedAt: `json_extract_path_text(s."state"::json, 'fences', ?, 'shapedAt')::bigint`,
  },
};
