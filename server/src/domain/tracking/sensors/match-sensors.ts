import type { Kysely } from 'kysely';
import { bluetoothAddress } from '../../devices/bluetooth.ts';
import type { Tables } from '../../schema/tables.ts';
import type { NormalReading } from '../report/normalize.ts';

interface GatewayReport {
  readonly deviceId: number;
  readonly gatewayReadings: readonly NormalReading[];
}

/** Which of its owner's devices a gateway reports, by their bluetooth address, serial number or IMEI. */
export async function matchSensors(
  tx: Kysely<Tables>,
  reports: readonly GatewayReport[],
): Promise<{ deviceIds: number[]; find: (gatewayId: number, sensor: string | null) => number | null }> {
  const found = new Map<string, number>();
  for (const { deviceId, gatewayReadings } of reports) {
    const sensors = [...new Set(gatewayReadings.flatMap(({ sensorDeviceId }) => sensorDeviceId ?? []))];
    if (sensors.length === 0) continue;
    const gateway = await tx.selectFrom('devices').select('ownerId').where('id', '=', deviceId).executeTakeFirst();
    if (gateway === undefined) continue;
    const rows = await tx
      .selectFrom('devices')
      .select(['id', 'serial', 'imei', 'btMacAddress'])
      .where('ownerId', '=', gateway.ownerId)
      .where('deletedAt', 'is', null)
      .where((when) =>
        when.or([
          when('serial', 'in', sensors),
          when('imei', 'in', sensors),
          when('btMacAddress', 'in', sensors.map(asAddress)),
        ]),
      )
      .execute();
    for (const sensor of sensors) {
      const match =
        rows.find((row) => row.btMacAddress === asAddress(sensor)) ??
        rows.find((row) => row.serial === sensor || row.imei === sensor);
      if (match) found.set(`${deviceId} ${sensor}`, match.id);
    }
  }
  return { deviceIds: [...found.values()], find: (gatewayId, sensor) => found.get(`${gatewayId} ${sensor}`) ?? null };
}

/** No device has an empty address. */
const asAddress = (sensor: string) => bluetoothAddress(sensor) ?? '';
