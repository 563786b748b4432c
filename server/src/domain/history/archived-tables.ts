import type { ParquetColumn, ParquetKind } from '../../platform/formats/parquet.ts';
import type { Tables } from '../schema/tables.ts';

/** The archived tables: rows of devices that grow with time, each with its columns. */

export const ARCHIVED = ['positions', 'readings', 'trips', 'stops', 'notifications'] as const;
export type ArchivedName = (typeof ARCHIVED)[number];

export interface ArchivedTable {
  readonly name: ArchivedName;
  readonly table: keyof Tables;
  /** The column with the time, which determines the month. */
  readonly time: string;
  /** The column with the device that owns the row; if it is null, the second one. */
  readonly owners: readonly [string] | readonly [string, string];
  readonly columns: readonly ParquetColumn[];
  /** Whether rows change after they were written, so that a later run writes them again. */
  readonly isChanging: boolean;
  /** Whether `--remove` removes the rows from the database; the others are few, and reports read them. */
  readonly isRemoved: boolean;
}

function columnsOf(kinds: Readonly<Record<string, ParquetKind>>): ParquetColumn[] {
  return Object.entries(kinds).map(([name, kind]) => ({ name, kind }));
}

export const ARCHIVED_TABLES: Readonly<Record<ArchivedName, ArchivedTable>> = {
  positions: {
    name: 'positions',
    table: 'points',
    time: 'timestamp',
    owners: ['deviceId'],
    isChanging: false,
    isRemoved: true,
    columns: columnsOf({
      deviceId: 'integer',
      id: 'integer',
      timestamp: 'time',
      locationLat: 'number',
      locationLng: 'number',
      speed: 'number',
      altitude: 'number',
      course: 'number',
      accuracy: 'number',
      locationType: 'text',
      sats: 'integer',
      hdop: 'number',
      batteryPct: 'number',
      batteryVoltage: 'number',
      averageCharge: 'integer',
      sendReason: 'integer',
      alertType: 'integer',
      mode: 'integer',
      gsmSignal: 'number',
      address: 'text',
      correlationId: 'text',
      stringValue: 'text',
      currentUsed: 'number',
      num_value: 'text',
      cell: 'json',
      judged: 'text',
      created: 'time',
    }),
  },
  readings: {
    name: 'readings',
    table: 'gatewayReadings',
    time: 'timestamp',
    owners: ['gatewayId', 'deviceId'],
    isChanging: false,
    isRemoved: true,
    columns: columnsOf({
      gatewayId: 'integer',
      deviceId: 'integer',
      id: 'integer',
      timestamp: 'time',
      type: 'text',
      value: 'json',
      rssi: 'number',
      meta: 'json',
      correlationId: 'text',
      sensorDeviceId: 'text',
      relatedId: 'integer',
      datapointId: 'integer',
      created: 'time',
    }),
  },
  trips: {
    name: 'trips',
    table: 'trips',
    time: 'start',
    owners: ['deviceId'],
    isChanging: true,
    isRemoved: false,
    columns: columnsOf({
      deviceId: 'integer',
      id: 'integer',
      start: 'time',
      end: 'time',
      distance: 'number',
      duration: 'number',
      idle: 'number',
      maxSpeed: 'number',
      averageSpeed: 'number',
      startLocationLat: 'number',
      startLocationLng: 'number',
      endLocationLat: 'number',
      endLocationLng: 'number',
      startPointId: 'integer',
      endPointId: 'integer',
    }),
  },
  stops: {
    name: 'stops',
    table: 'stops',
    time: 'start',
    owners: ['deviceId'],
    isChanging: true,
    isRemoved: false,
    columns: columnsOf({
      deviceId: 'integer',
      id: 'integer',
      start: 'time',
      end: 'time',
      duration: 'number',
      locationLat: 'number',
      locationLng: 'number',
    }),
  },
  notifications: {
    name: 'notifications',
    table: 'notifications',
    time: 'timestamp',
    owners: ['deviceId'],
    isChanging: true,
    isRemoved: false,
    columns: columnsOf({
      deviceId: 'integer',
      userId: 'integer',
      id: 'integer',
      timestamp: 'time',
      kind: 'text',
      triggerId: 'integer',
      zoneId: 'integer',
      params: 'json',
      explanation: 'json',
      status: 'text',
      severity: 'text',
      reason: 'text',
      late: 'flag',
      acknowledgedAt: 'time',
      acknowledgedBy: 'integer',
      note: 'text',
      created: 'time',
    }),
  },
};
