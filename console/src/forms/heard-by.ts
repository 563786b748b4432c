import type { PointExplanation } from '../api/devices.ts';
import { t } from '../texts/t.ts';

export type CountedGateway = PointExplanation['gateways'][number];

/** By which gateways a position was found, in a few words: "Heard by 3 gateways, strongest Dock (−62 dBm)". */
export function heardByWords(gateways: readonly CountedGateway[]): string | undefined {
  const [strongest] = gateways.toSorted((a, b) => signalOf(b) - signalOf(a) || b.weight - a.weight);
  if (strongest === undefined) return undefined;
  const { gatewayId, name, rssi } = strongest;
  const signal = rssi === null ? undefined : t.deviceReadings.dBm(rssi);
  return t.device.heardBy(gateways.length, name ?? t.device.unnamed(gatewayId), signal);
}

const signalOf = ({ rssi }: CountedGateway) => rssi ?? Number.NEGATIVE_INFINITY;
