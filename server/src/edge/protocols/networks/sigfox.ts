import type { ReportedPoint, ReportedReading, UnreadableItem } from '../../../reports.ts';
import { typedText } from '../attributes.ts';
import { isObject, type Json, nameOf, numberOf, parseJson, timeOf, truthOf, withoutUnset } from '../claims.ts';
import { MAX_PAIRS } from '../limits.ts';
import { saidIn } from './fields.ts';
import { cutText, pointsOf, type Reception, reading, readingsOf, sigfoxNames } from './items.ts';
import type {
  Downlink,
  NetworkMessage,
  NetworkProtocol,
  NetworkRequest,
  NotUsable,
  WaitingMessage,
} from './network.ts';

/**
 * Sigfox callbacks: GET, a form or JSON, with fields from the user's template. Numbers may be text. The computed
 * location follows half a minute later, in a callback with the same sequence number.
 */
export const sigfox: NetworkProtocol = { name: 'sigfox', methods: ['GET', 'POST'], decode, downlink };

/** Field names of the network. All others are the user's own. */
const NETWORK = new Set(
  [
    ...['device', 'time', 'data', 'seqNumber', 'ack', 'lqi', 'linkQuality', 'operatorName', 'countryCode'],
    ...['deviceTypeId', 'rssi', 'snr', 'avgSnr', 'station', 'duplicate', 'duplicates', 'fixedLat', 'fixedLng'],
    ...['computedLocation', 'batt', 'longPolling', 'type', 'lat', 'lng', 'radius', 'source', 'status'],
  ].map((name) => name.toLowerCase()),
);

function decode(request: NetworkRequest): NetworkMessage | NotUsable {
  const sent = fieldsOf(request);
  const names = sigfoxNames(sent.device);
  if (names.length === 0) return { notUsable: 'it does not identify a device: add "device" to the template' };
  const seqNumber = numberOf(sent.seqNumber);
  const timestamp = timeOf(sent.time);
  const id = names[0]!;
  const reception: Reception = {
    timestamp: timestamp ?? request.now,
    correlationId: seqNumber === undefined ? undefined : `${id}:${seqNumber}`,
  };
  const own = saidIn(ownFields(sent));
  const points = [...placeOf(sent, reception), ...pointsOf(own, reception)];
  return {
    names,
    report: {
      points,
      readings: [...payloadReading(sent, reception), ...readingsOf(own, reception)],
      gatewayReadings: [],
      messages: [],
      ...unreadablePlace(sent, request),
      asSent: () => `sigfox ${JSON.stringify(request.query)} ${request.body}`,
    },
    receivedBy: [],
    ...(truthOf(sent.ack) === true && typeof sent.device === 'string' && { awaitsDownlink: sent.device.trim() }),
  };
}

/** Merges the query, the form and the JSON body; the network sends "null" for missing values. */
function fieldsOf({ query, contentType, body }: NetworkRequest): Json {
  const json = parseJson(body);
  const form = !isObject(json) && /form-urlencoded/i.test(contentType) ? new URLSearchParams(body) : [];
  const pairs: (readonly [string, unknown])[] = [...query, ...form, ...Object.entries(isObject(json) ? json : {})];
  const fields = pairs.slice(0, MAX_PAIRS).filter(([, value]) => value !== 'null' && value !== null && value !== '');
  return Object.fromEntries(fields);
}

function ownFields(sent: Json): Json {
  const volts = sent.batt === undefined ? [] : ([['battery_voltage', sent.batt]] as const);
  const own = Object.entries(sent).filter(([name]) => !NETWORK.has(name.toLowerCase()));
  const typed = own.map(([name, value]) => [name, typeof value === 'string' ? typedText(value) : value] as const);
  return Object.fromEntries([...volts, ...typed]);
}

function payloadReading(sent: Json, reception: Reception): ReportedReading[] {
  const data = nameOf(sent.data, 64);
  if (data === undefined) return [];
  const rssi = numberOf(sent.rssi);
  const meta = withoutUnset({
    seq: numberOf(sent.seqNumber),
    quality: nameOf(sent.lqi, 20) ?? numberOf(sent.linkQuality),
    snr: numberOf(sent.snr),
    station: nameOf(sent.station, 20),
    operator: nameOf(sent.operatorName, 100),
  });
  // Another callback of the same message may contain more radio data, but it is the same message.
  const timed = timeOf(sent.time) === undefined ? {} : { isTimeAssumed: false };
  const payload = reading('sigfox_payload', /^[0-9a-f]*$/i.test(data) ? data.toUpperCase() : data, reception, meta);
  return [{ ...payload, ...timed, ...(rssi !== undefined && { rssi }) }];
}

/** As JSON, as JSON in a string, or as separate fields. */
function computedIn(sent: Json): Json | undefined {
  const { computedLocation: given } = sent;
  const parsed = typeof given === 'string' ? parseJson(given) : given;
  if (isObject(parsed)) return parsed;
  return sent.lat !== undefined && sent.lng !== undefined ? sent : undefined;
}

const FAILED = 0;
const SOURCES: Readonly<Record<number, 'gps' | 'wifi'>> = { 1: 'gps', 5: 'wifi' };

function placeOf(sent: Json, { timestamp, correlationId }: Reception): ReportedPoint[] {
  const place = computedIn(sent);
  if (place === undefined || numberOf(place.status) === FAILED) return [];
  const [lat, lng] = [numberOf(place.lat), numberOf(place.lng)];
  if (lat === undefined || lng === undefined) return [];
  const radius = numberOf(place.radius);
  // A place without a radius in the user's template comes from the payload.
  const isOwn = place === sent && radius === undefined;
  return [
    withoutUnset({
      timestamp,
      isTimeAssumed: timeOf(sent.time) === undefined,
      location: { lat, lng },
      locationType: SOURCES[numberOf(place.source) ?? 0] ?? (isOwn ? 'gps' : 'gsm'),
      accuracyM: radius !== undefined && radius > 0 ? radius : undefined,
      correlationId,
    }),
  ];
}

function unreadablePlace(sent: Json, { body }: NetworkRequest): { unreadable?: UnreadableItem[] } {
  const { computedLocation: given } = sent;
  if (given === undefined) return {};
  const place = computedIn(sent);
  const isRead = place !== undefined && (numberOf(place.status) === FAILED || numberOf(place.lat) !== undefined);
  return isRead
    ? {}
    : {
        unreadable: [
          {
            item: cutText(typeof given === 'string' ? given : body),
            reason: 'the computed location cannot be read',
            code: 'computedLocation',
          },
        ],
      };
}

/** Eight bytes, when the device requests them. */
function downlink(
  { awaitsDownlink: device }: NetworkMessage,
  waiting: readonly WaitingMessage[],
): Downlink | undefined {
  if (device === undefined) return undefined;
  const next = waiting.find(({ message }) => message !== null && /^[0-9a-f]{16}$/i.test(message.trim()));
  if (next === undefined) return undefined;
  return { messageId: next.id, body: { [device]: { downlinkData: next.message!.trim() } } };
}
