import type { PointExplanation } from '../api/devices.ts';
import { t } from '../texts/t.ts';

export type CountedGateway = PointExplanation['gateways'][number];

/** The gateways of a position, in a few words: "Detected by 3 gateways, strongest Dock (−62 dBm)". */
export function gatewaysText(gateways: readonly CountedGateway[]): string | undefined {
  const [strongest] = gateways.toSorted((a, b) => signalOf(b) - signalOf(a) || b.weight - a.weight);
  if (strongest === undefined) return undefined;
  const { gatewayId, name, rssi } = strongest;
  const signal = rssi === null ? undefined : t.deviceReadings.dBm({ rssi: Math.round(rssi) });
  return t.device.heardBy({ count: gateways.length, name: name ?? t.device.unnamed({ id: gatewayId }), signal });
}

const signalOf = ({ rssi }: CountedGateway) => rssi ?? Number.NEGATIVE_INFINITY;
