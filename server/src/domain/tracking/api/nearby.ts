import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { nearbyOperations as contract } from '@trackway/contract/resources/fleet.ts';
import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { parseId } from '@trackway/contract/values.ts';
import { type Handlers, JsonText } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { type Cell, columnsOf } from '../../../platform/storage/shape.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../../devices/access.ts';
import { bluetoothAddress } from '../../devices/bluetooth.ts';
import { children, ownerOf, searchOf, unlessBusy } from '../../family.ts';
import { packedReadingRows } from '../../positions/packed-reading-rows.ts';
import { cutSpan } from '../../range.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Store } from '../../schema/tables.ts';
import { nearbyDevices } from './nearby-work.ts';

const DAY_MS = 86_400_000;
const MOST = 10_000;

/** The sightings of a gateway. */
export function nearbyOperations(store: Store): Handlers<keyof typeof contract> {
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
      if (text === undefined) throw badRequest('The answer would be too large: ask for a shorter range');
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
