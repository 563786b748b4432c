import { Link } from 'wouter';
import type { GatewayReading } from '../../../api/readings.ts';
import { t } from '../../../texts/t.ts';

export type ThingNames = ReadonlyMap<number, string>;

/** A device of the viewer by its name, anything else by its own identifier. */
export function Thing({ reading, names }: { reading: GatewayReading; names: ThingNames }) {
  const { deviceId, sensorDeviceId } = reading;
  const name = deviceId === null ? undefined : names.get(deviceId);
  if (name !== undefined) return <Link href={`/devices/${deviceId}`}>{name}</Link>;
  if (sensorDeviceId) return <code>{sensorDeviceId}</code>;
  return <>{deviceId === null ? t.deviceReadings.unknownThing : t.device.unnamed({ id: deviceId })}</>;
}
