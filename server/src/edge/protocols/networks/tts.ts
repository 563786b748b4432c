import type { Report, ReportedReading } from '../../../reports.ts';
import { isObject, type Json, nameOf, numberOf, parseJson, timeOf, withoutUnset } from '../claims.ts';
import { bytesOf, cutText, euiNames, type Reception, reading } from './items.ts';
import {
  batteryItems,
  type Gateway,
  gatewayOf,
  MAX_PAYLOAD,
  messageOfUplink,
  objectOf,
  objectsIn,
  solvedPlace,
} from './lorawan.ts';
import { EMPTY, type NetworkMessage, type NetworkProtocol, type NetworkRequest, type NotUsable } from './network.ts';
import { pushOf } from './tts-push.ts';

/** The Things Stack 3, by webhook. It omits fields that are 0, empty or false. */
export const tts: NetworkProtocol = { name: 'tts', methods: ['POST'], decode, push: pushOf };

const HOUR_MS = 3_600_000;

/** Status messages of a downlink. */
const DOWNLINKS = [
  'downlink_queued',
  'downlink_sent',
  'downlink_ack',
  'downlink_nack',
  'downlink_failed',
  'downlink_queue_invalidated',
] as const;

function decode({ body, now }: NetworkRequest): NetworkMessage | NotUsable {
  const json = parseJson(body);
  if (!isObject(json)) return { notUsable: 'the body is not a JSON object' };
  const ids = objectOf(json.end_device_ids);
  const names = namesOf(ids);
  if (names.length === 0) return { notUsable: 'it does not identify a device: end_device_ids.dev_eui is missing' };
  if (isObject(json.uplink_message)) return uplinkOf(json, ids, names, json.uplink_message, now);
  return eventOf(json, names, body, now);
}

/** A device with activation by personalization (ABP) may have no DevEUI. */
function namesOf({ dev_eui: devEui, device_id: deviceId }: Json): string[] {
  const names = euiNames(devEui);
  if (names.length > 0) return names;
  const name = nameOf(deviceId, 64);
  return name === undefined ? [] : [name];
}

function uplinkOf(json: Json, ids: Json, names: readonly string[], uplink: Json, now: number): NetworkMessage {
  const fCnt = numberOf(uplink.f_cnt) ?? 0;
  const timestamp = timeOf(uplink.received_at) ?? timeOf(json.received_at) ?? now;
  const session = `${nameOf(ids.dev_addr, 16) ?? ''} ${nameOf(uplink.session_key_id, 64) ?? ''}`;
  const sent = nameOf(uplink.frm_payload, 1000) ?? '';
  const correlationId = `${names[0]}:${fCnt}`;
  // A device without a join may restart its counter at 0, so the hour is part of the frame's identity.
  const frame = `tts ${names[0]} ${session} ${fCnt} ${sent} ${Math.floor(timestamp / HOUR_MS)}`;
  const lora = objectOf(objectOf(objectOf(uplink.settings).data_rate).lora);
  const status = statusOf(uplink.last_battery_percentage);
  const place = solvedPlace(objectOf(uplink.locations)['frm-payload'], 'gps', { timestamp, correlationId });
  return messageOfUplink({
    names,
    frame,
    timestamp,
    correlationId,
    payload: bytesOf(uplink.frm_payload, MAX_PAYLOAD),
    decoded: decodedBy(uplink),
    fPort: numberOf(uplink.f_port),
    fCnt,
    spreadingFactor: numberOf(lora.spreading_factor),
    gateways: objectsIn(uplink.rx_metadata).flatMap(gatewayIn),
    ...(json.simulated === true && { isSimulated: true }),
    points: [...(place === undefined ? [] : [place]), ...status.points],
    readings: status.readings,
  });
}

/** The codec's own names take precedence; the normalized ones have fixed units. */
function decodedBy({ decoded_payload: decoded, normalized_payload: normalized }: Json): Json | undefined {
  if (isObject(decoded) && Object.keys(decoded).length > 0) return decoded;
  const [first] = objectsIn(normalized);
  if (first === undefined) return undefined;
  const { battery, ...others } = first;
  return { ...others, ...(battery !== undefined && { battery_voltage: battery }) };
}

/** The network repeats the battery level with each uplink, so it has its own time. */
function statusOf(sent: unknown): ReturnType<typeof batteryItems> {
  const { value, received_at: receivedAt } = objectOf(sent);
  const timestamp = timeOf(receivedAt);
  if (timestamp === undefined) return batteryItems(undefined, { timestamp: 0 });
  const { points, readings } = batteryItems(numberOf(value), { timestamp });
  const timed = { isTimeAssumed: false };
  return {
    points: points.map((point) => ({ ...point, ...timed })),
    readings: readings.map((one) => ({ ...one, ...timed })),
  };
}

function gatewayIn({ gateway_ids: ids, rssi, channel_rssi: channel, snr }: Json): Gateway[] {
  const { eui, gateway_id: id } = objectOf(ids);
  return gatewayOf([eui, id], rssi ?? channel, snr);
}

function eventOf(json: Json, names: readonly string[], body: string, now: number): NetworkMessage | NotUsable {
  const timestamp = timeOf(json.received_at) ?? now;
  const reception: Reception = {
    timestamp,
    correlationId: ourCorrelation(json.correlation_ids),
    ...(json.simulated === true && { meta: { simulated: true } }),
  };
  const reported = (report: Partial<Report>): NetworkMessage => ({
    names,
    report: { ...EMPTY, ...report, asSent: () => `tts ${body}` },
    receivedBy: [],
  });
  if (isObject(json.location_solved)) {
    const { location } = json.location_solved;
    const point = solvedPlace(location, locationTypeOf(objectOf(location).source), reception);
    if (point === undefined)
      return reported({ unreadable: [{ item: cutText(body), reason: 'no position', code: 'noPlace' }] });
    return reported(json.simulated === true ? {} : { points: [point] });
  }
  if (isObject(json.join_accept)) return reported({ readings: [reading('lora_event', 'join', reception)] });
  const kind = DOWNLINKS.find((one) => isObject(json[one]));
  if (kind !== undefined) return reported({ readings: [downlinkReading(kind, objectOf(json[kind]), reception)] });
  return { ...reported({}), ignored: 'it is not an uplink, a join, a location or a downlink status' };
}

function downlinkReading(kind: string, sent: Json, reception: Reception): ReportedReading {
  // A failed message wraps the downlink.
  const downlink = isObject(sent.downlink) ? sent.downlink : sent;
  const meta = withoutUnset({
    f_port: numberOf(downlink.f_port),
    f_cnt: numberOf(downlink.f_cnt),
    correlation_ids: correlations(downlink.correlation_ids),
    error: nameOf(objectOf(sent.error).name, 200),
  });
  return reading('lora_event', kind, reception, meta);
}

function correlations(sent: unknown): string[] | undefined {
  if (!Array.isArray(sent)) return undefined;
  const own = sent.slice(0, 20).flatMap((one) => nameOf(one, 100) ?? []);
  return own.length === 0 ? undefined : own;
}

const ourCorrelation = (sent: unknown) => correlations(sent)?.find((one) => one.startsWith('as:up:'));

function locationTypeOf(source: unknown): 'gps' | 'wifi' | 'gsm' {
  if (source === 'SOURCE_GPS') return 'gps';
  return source === 'SOURCE_WIFI_RSSI_GEOLOCATION' ? 'wifi' : 'gsm';
}
