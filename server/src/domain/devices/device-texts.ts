import { device } from '@trackway/contract/resources/device.ts';
import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Caller } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { type JsonRows, jsonRows } from '../../platform/storage/json-rows.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { shownTo } from './shown-devices.ts';

/** Which devices are read, and for whom. Plain data, so that it can be sent to another thread. */
export interface WantedDevices {
  readonly scope: Pick<Scope, 'sql' | 'cells'>;
  readonly reader: Pick<Caller, 'userId' | 'admin'>;
  readonly now: number;
  /** Only devices with a higher id, and at most so many. */
  readonly after: number;
  readonly limit: number;
}

export interface DeviceText {
  readonly id: number;
  /** The device as JSON text, without the brace at its end. */
  readonly openText: string;
  /** Its configuration, likewise. */
  readonly openConfig: string;
}

const forEngines = (shape: Parameters<typeof jsonRows>[1], table: string): Readonly<Record<StoreKind, JsonRows>> => ({
  sqlite: jsonRows('sqlite', shape, table),
  postgres: jsonRows('postgres', shape, table),
});
const DEVICES = forEngines(shapeOf(device), 'devices');
const CONFIGS = forEngines(shapeOf(deviceConfig), 'deviceConfigs');

/** Devices in the order of their ids, as lists show them, with their configurations. */
export async function deviceTexts(
  workplace: Workplace<Tables>,
  { scope, reader, now, after, limit }: WantedDevices,
): Promise<DeviceText[]> {
  const { storeKind } = workplace;
  const { from } = shownTo(scope, reader, now);
  const [devices, configs] = [DEVICES[storeKind], CONFIGS[storeKind]];
  // Which they are is found first: what is worked out of each is worked out of these alone.
  const sql = `SELECT "devices"."id", ${devices.columns}, ${configs.columns}
    FROM (SELECT "id" FROM "devices" WHERE (${scope.sql}) AND "id" > ? ORDER BY "id" LIMIT ?) AS "wanted"
    JOIN ${from!.sql} ON "devices"."id" = "wanted"."id"
    JOIN "deviceConfigs" ON "deviceConfigs"."deviceId" = "devices"."id"`;
  // The name stands for the text: statements of other scopes are others.
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
