import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import { isObject, type Json, nameOf, numberOf, withoutUnset } from '../claims.ts';
import { cayenneFields } from './cayenne.ts';
import { type Said, saidIn } from './fields.ts';
import { euiNames, hexOf, pointsOf, type Reception, reading, readingsOf } from './items.ts';
import type { NetworkGateway, NetworkMessage, WaitingMessage } from './network.ts';

/** Common parts of LoRaWAN networks. */

/** Maximum length of a LoRaWAN frame. */
export const MAX_PAYLOAD = 256;
const MAX_GATEWAYS = 50;
/** Maximum number of gateways listed with a payload. */
const MAX_LISTED = 10;

interface Uplink {
  readonly names: readonly string[];
  /** Identifies a frame of the device; a repeated message has the same value. */
  readonly frame: string;
  readonly timestamp: number;
  readonly correlationId: string;
  readonly payload: Buffer | undefined;
  /** The output of the network's own codec. */
  readonly decoded: Json | undefined;
  readonly fPort: number | undefined;
  readonly fCnt: number;
  readonly spreadingFactor: number | undefined;
  readonly gateways: readonly Gateway[];
  /** A simulated uplink for testing: it changes no position. */
  readonly isSimulated?: boolean;
  /** In addition to the points of the payload. */
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
    receivedBy: isSimulated ? [] : receivedBy(uplink, reception),
    ...(!isSimulated && { isUplink: true as const }),
  };
}

function saidBy({ decoded, payload }: Uplink): Said | undefined {
  if (decoded !== undefined && Object.keys(decoded).length > 0) return saidIn(decoded);
  const fields = payload && cayenneFields(payload);
  return fields && saidIn(fields);
}

/** The raw payload is stored, so that it can be decoded later. */
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

function receivedBy({ gateways, frame, fCnt, spreadingFactor: sf }: Uplink, reception: Reception): NetworkGateway[] {
  return gateways.slice(0, MAX_GATEWAYS).map(({ names, rssi, snr }) => ({
    names,
    identity: `${frame} by ${names[0]}`,
    seen: withoutUnset({ ...reading('lora_seen', withoutUnset({ rssi, snr, sf }), reception, { f_cnt: fCnt }), rssi }),
  }));
}

/** @param ids the gateway's EUI, and its name in the network */
export function gatewayOf(ids: readonly unknown[], rssi: unknown, snr: unknown): Gateway[] {
  const names = [...new Set(ids.flatMap((id) => [...euiNames(id), nameOf(id, 64) ?? []].flat()))];
  return names.length === 0 ? [] : [{ names, rssi: numberOf(rssi), snr: numberOf(snr) }];
}

/** The objects of a list, or none if it is not a list. */
export const objectsIn = (list: unknown): Json[] => (Array.isArray(list) ? list.slice(0, 200).filter(isObject) : []);

export const objectOf = (value: unknown): Json => (isObject(value) ? value : NONE);
const NONE: Json = {};

/** A position computed by the network. Fields that are 0 may be omitted, so one coordinate is enough. */
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

/** The battery level that the device reported to its network. */
export function batteryItems(
  batteryPct: number | undefined,
  reception: Reception,
): { readonly points: ReportedPoint[]; readonly readings: ReportedReading[] } {
  if (batteryPct === undefined) return { points: [], readings: [] };
  const said = { point: { batteryPct }, hasPlace: false, readings: [{ type: 'battery', value: batteryPct }] };
  return { points: pointsOf(said, reception), readings: readingsOf(said, reception) };
}

/** `0A0B`, or with a port: `15:0A0B`. */
const DOWNLINK = /^(?:(\d{1,3}):)?((?:[0-9a-f]{2}){1,242})$/i;
const DEFAULT_PORT = 1;
const LAST_PORT = 223;

interface LoraDownlink {
  readonly messageId: number;
  readonly fPort: number;
  /** Base64. */
  readonly payload: string;
}

/** The oldest waiting message that is a valid downlink. */
export function loraDownlink(waiting: readonly WaitingMessage[]): LoraDownlink | undefined {
  for (const { id, message } of waiting) {
    const [, port, digits] = DOWNLINK.exec(message?.trim() ?? '') ?? [];
    const fPort = port === undefined ? DEFAULT_PORT : Number(port);
    if (digits === undefined || fPort < 1 || fPort > LAST_PORT) continue;
    return { messageId: id, fPort, payload: Buffer.from(digits, 'hex').toString('base64') };
  }
  return undefined;
}

/** The address and key for downlinks, as the request names them. Neither is stored. */
export function downlinkAddress(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): { readonly url: string; readonly key: string } | undefined {
  const { 'x-downlink-push': url, 'x-downlink-apikey': key } = headers;
  if (typeof url !== 'string' || typeof key !== 'string' || url.length > 2000 || key.length > 2000) return undefined;
  return { url, key };
}
