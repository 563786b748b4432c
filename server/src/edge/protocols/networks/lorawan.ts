import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import { isObject, type Json, nameOf, numberOf, withoutUnset } from '../claims.ts';
import { cayenneFields } from './cayenne.ts';
import { type Said, saidIn } from './fields.ts';
import { euiNames, hexOf } from './identifiers.ts';
import { pointsOf, type Reception, reading, readingsOf } from './items.ts';
import type { HeardBy, NetworkMessage } from './network.ts';

/** What the networks of LoRaWAN have in common. */

/** No frame of LoRaWAN is longer. */
export const MAX_PAYLOAD = 256;
const MAX_GATEWAYS = 50;
/** So many are listed with a payload. */
const MAX_LISTED = 10;

export interface Uplink {
  readonly names: readonly string[];
  /** Tells this frame from others of the device; the same frame told again says the same. */
  readonly frame: string;
  readonly timestamp: number;
  readonly correlationId: string;
  readonly payload: Buffer | undefined;
  /** What the network's own codec made of it. */
  readonly decoded: Json | undefined;
  readonly fPort: number | undefined;
  readonly fCnt: number;
  readonly spreadingFactor: number | undefined;
  readonly gateways: readonly Gateway[];
  /** Sent by a person who tries something out: it moves nothing. */
  readonly isSimulated?: boolean;
  /** Besides those of the payload. */
  readonly points?: readonly ReportedPoint[];
  readonly readings?: readonly ReportedReading[];
}

export interface Gateway {
  readonly names: readonly string[];
  readonly rssi: number | undefined;
  readonly snr: number | undefined;
}

export function messageOfUplink(uplink: Uplink): NetworkMessage {
  const { names, timestamp, correlationId, frame, isSimulated } = uplink;
  const reception: Reception = { timestamp, correlationId, ...(isSimulated && { meta: { simulated: true } }) };
  const said = saidBy(uplink);
  const placed = said === undefined ? [] : pointsOf(said, reception);
  const hasPlace = placed.some(({ location }) => location !== undefined);
  const others = (uplink.points ?? []).filter(({ location }) => location === undefined || !hasPlace);
  return {
    names,
    report: {
      points: isSimulated ? [] : [...placed, ...others],
      readings: [
        ...payloadReading(uplink, reception),
        ...(said === undefined ? [] : readingsOf(said, reception)),
        ...(uplink.readings ?? []),
      ],
      gatewayReadings: [],
      messages: [],
      asSent: () => frame,
    },
    heardBy: isSimulated ? [] : heardBy(uplink, reception),
    ...(!isSimulated && { isUplink: true as const }),
  };
}

function saidBy({ decoded, payload }: Uplink): Said | undefined {
  if (decoded !== undefined && Object.keys(decoded).length > 0) return saidIn(decoded);
  const fields = payload && cayenneFields(payload);
  return fields && saidIn(fields);
}

/** The payload is kept as it is: what nobody could read now can be read later. */
function payloadReading(uplink: Uplink, reception: Reception): ReportedReading[] {
  const { payload, fPort, fCnt, spreadingFactor: sf, gateways } = uplink;
  if (payload === undefined || payload.length === 0) return [];
  const listed = gateways.slice(0, MAX_LISTED).map(({ names, rssi, snr }) => withoutUnset({ id: names[0], rssi, snr }));
  const meta = { f_port: fPort, f_cnt: fCnt, sf, ...(listed.length > 0 && { gateways: listed }) };
  const rssi = strongest(gateways);
  return [{ ...reading('lora_payload', hexOf(payload), reception, meta), ...(rssi !== undefined && { rssi }) }];
}

function strongest(gateways: readonly Gateway[]): number | undefined {
  const known = gateways.flatMap(({ rssi }) => rssi ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

function heardBy({ gateways, frame, fCnt, spreadingFactor: sf }: Uplink, reception: Reception): HeardBy[] {
  return gateways.slice(0, MAX_GATEWAYS).map(({ names, rssi, snr }) => ({
    names,
    identity: `${frame} by ${names[0]}`,
    seen: withoutUnset({ ...reading('lora_seen', withoutUnset({ rssi, snr, sf }), reception, { f_cnt: fCnt }), rssi }),
  }));
}

/** @param ids the gateway's EUI, and the name it has in the network */
export function gatewayOf(ids: readonly unknown[], rssi: unknown, snr: unknown): Gateway[] {
  const names = [...new Set(ids.flatMap((id) => [...euiNames(id), nameOf(id, 64) ?? []].flat()))];
  return names.length === 0 ? [] : [{ names, rssi: numberOf(rssi), snr: numberOf(snr) }];
}

/** The objects of a list, which may be none. */
export const objectsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.slice(0, 200).filter(isObject) : []);

export const objectOf = (value: unknown): Json => (isObject(value) ? value : NONE);
const NONE: Json = {};

/** A place that a network found out by itself. Fields that are 0 may be left out, so one of the two is enough. */
export function solvedPlace(
  location: unknown,
  locationType: 'gps' | 'wifi' | 'gsm',
  { timestamp, correlationId }: Reception,
): ReportedPoint | undefined {
  if (!isObject(location) || (location.latitude === undefined && location.longitude === undefined)) return undefined;
  const lat = numberOf(location.latitude ?? 0) ?? Number.NaN;
  const lng = numberOf(location.longitude ?? 0) ?? Number.NaN;
  const accuracy = numberOf(location.accuracy);
  return withoutUnset({
    timestamp,
    isTimeAssumed: true,
    location: { lat, lng },
    locationType,
    altitudeM: numberOf(location.altitude),
    accuracyM: accuracy !== undefined && accuracy > 0 ? accuracy : undefined,
    correlationId,
  });
}

/** The battery as the device told its network. */
export function batteryItems(
  batteryPct: number | undefined,
  reception: Reception,
): { readonly points: ReportedPoint[]; readonly readings: ReportedReading[] } {
  if (batteryPct === undefined) return { points: [], readings: [] };
  const said = { point: { batteryPct }, hasPlace: false, readings: [{ type: 'battery', value: batteryPct }] };
  return { points: pointsOf(said, reception), readings: readingsOf(said, reception) };
}
