import { insertOf, type RowsQuery } from '../../platform/storage/bulk.ts';
import type { ReadingColumn } from './stored-reading.ts';

/** The statements that store and compare readings. */

export const INSERT_READINGS = insertOf('gatewayReadings', {
  gatewayId: 'integer',
  deviceId: 'integer',
  datapointId: 'integer',
  created: 'time',
  timestamp: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  correlationId: 'text',
  sensorDeviceId: 'text',
  hash: 'text',
  reporterId: 'integer',
});

/** The same measurement by other gateways, at most so long before or after. */
export const findMeasured = (sameMs: number): RowsQuery => ({
  columns: { gatewayId: 'integer', deviceId: 'integer', type: 'text', timestamp: 'time' },
  sql: `SELECT DISTINCT r."id", r."gatewayId", r."deviceId", r."timestamp", r."type", r."value" FROM given
    JOIN "gatewayReadings" r ON r."deviceId" = given."deviceId" AND r."type" = given."type"
      AND r."timestamp" >= given."timestamp" - ${sameMs} AND r."timestamp" <= given."timestamp" + ${sameMs}
      AND r."gatewayId" <> given."gatewayId"`,
});

const INSERTED = {
  gatewayId: 'integer',
  deviceId: 'integer',
  timestamp: 'time',
  created: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  relatedId: 'integer',
  correlationId: 'text',
  sensorDeviceId: 'text',
  datapointId: 'integer',
  hash: 'text',
  id: 'integer',
} as const satisfies Record<ReadingColumn, unknown>;
export const ALL = Object.keys(INSERTED) as ReadingColumn[];
export const INSERT_AGAIN = insertOf('gatewayReadings', { ...INSERTED, reporterId: 'integer' });
