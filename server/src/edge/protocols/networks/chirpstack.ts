import type { Report } from '../../../reports.ts';
import { isObject, type Json, nameOf, numberOf, parseJson, textOf, timeOf, withoutUnset } from '../claims.ts';
import { firstOf } from '../gather.ts';
import { chirpstackPush } from './chirpstack-push.ts';
import { bytesOf, cutText, euiNames, type Reception, reading } from './items.ts';
import { batteryItems, gatewayOf, MAX_PAYLOAD, messageOfUplink, objectOf, objectsIn, solvedPlace } from './lorawan.ts';
import { EMPTY, type NetworkMessage, type NetworkProtocol, type NetworkRequest, type NotUsable } from './network.ts';

/** ChirpStack 4, HTTP integration with JSON. */
export const chirpstack: NetworkProtocol = { name: 'chirpstack', methods: ['POST'], decode, push: chirpstackPush };

function decode({ query, body, contentType, now }: NetworkRequest): NetworkMessage | NotUsable {
  const json = parseJson(body);
  if (!isObject(json))
    return {
      notUsable: /json/i.test(contentType)
        ? 'the body is not a JSON object'
        : 'the body is not JSON: choose JSON as the payload encoding of the integration',
    };
  if (isVersion3(json)) return { notUsable: 'this is a message of ChirpStack 3: version 4 is needed' };
  const names = euiNames(objectOf(json.deviceInfo).devEui);
  if (names.length === 0) return { notUsable: 'it does not identify a device: deviceInfo.devEui is missing' };
  const event = nameOf(firstOf(query, 'event'), 20) ?? eventIn(json);
  const timestamp = timeOf(json.time) ?? now;
  const reception: Reception = { timestamp, correlationId: nameOf(json.deduplicationId, 64) };
  const reported = (report: Partial<Report>): NetworkMessage => ({
    names,
    report: { ...EMPTY, ...report, asSent: () => `chirpstack ${event} ${body}` },
    receivedBy: [],
  });
  switch (event) {
    case 'up':
      return uplinkOf(json, names, timestamp);
    case 'join':
      return reported({ readings: [reading('lora_event', 'join', reception)] });
    case 'ack':
      return reported({ readings: [downlinkReading(json.acknowledged === true ? 'ack' : 'nack', json, reception)] });
    case 'txack':
      return reported({ readings: [downlinkReading('sent', json, reception)] });
    case 'status':
      return reported(statusOf(json, reception));
    case 'location': {
      const point = solvedPlace(json.location, locationTypeOf(objectOf(json.location).source), reception);
      return reported(
        point === undefined
          ? { unreadable: [{ item: cutText(body), reason: 'no position', code: 'noPlace' }] }
          : { points: [point] },
      );
    }
    case 'log':
      return reported({ readings: [logReading(json, reception)] });
    default:
      return { ...reported({}), ignored: `the event ${event ?? 'of this body'} is not used` };
  }
}

/** Version 3 had device identifiers at the top level, in base64. */
const isVersion3 = (json: Json) =>
  json.deviceInfo === undefined && (json.devEUI !== undefined || 'applicationID' in json);

/** If the configured address has its own query, the event parameter is missing. */
function eventIn(json: Json): string | undefined {
  if ('margin' in json) return 'status';
  if ('acknowledged' in json) return 'ack';
  if ('location' in json) return 'location';
  return 'rxInfo' in json || 'data' in json ? 'up' : undefined;
}

function uplinkOf(json: Json, names: readonly string[], timestamp: number): NetworkMessage {
  const fCnt = numberOf(json.fCnt) ?? 0;
  const deduplicationId = nameOf(json.deduplicationId, 64);
  const data = nameOf(json.data, 1000) ?? '';
  const frame = deduplicationId ?? `${nameOf(json.devAddr, 16) ?? ''} ${fCnt} ${data} ${timestamp}`;
  const lora = objectOf(objectOf(objectOf(json.txInfo).modulation).lora);
  return messageOfUplink({
    names,
    frame: `chirpstack ${names[0]} ${frame}`,
    timestamp,
    correlationId: deduplicationId ?? `${names[0]}:${fCnt}`,
    payload: bytesOf(json.data, MAX_PAYLOAD),
    decoded: isObject(json.object) ? json.object : undefined,
    fPort: numberOf(json.fPort),
    fCnt,
    spreadingFactor: numberOf(lora.spreadingFactor),
    gateways: objectsIn(json.rxInfo).flatMap(({ gatewayId, rssi, snr }) => gatewayOf([gatewayId], rssi, snr)),
  });
}

const downlinkReading = (outcome: string, json: Json, reception: Reception) =>
  reading('lora_event', `downlink_${outcome}`, reception, {
    queue_item: nameOf(json.queueItemId, 64),
    f_cnt: numberOf(json.fCntDown),
  });

function statusOf(json: Json, reception: Reception): Partial<Report> {
  const margin = numberOf(json.margin);
  const isExternal = json.externalPowerSource === true;
  const isKnown = !isExternal && json.batteryLevelUnavailable !== true;
  const { points, readings } = batteryItems(isKnown ? numberOf(json.batteryLevel) : undefined, reception);
  const others = { ...(margin !== undefined && { margin }), externalPower: isExternal };
  return { points, readings: [...readings, reading('lora_status', others, reception)] };
}

const logReading = (json: Json, reception: Reception) =>
  reading(
    'lora_event',
    'log',
    reception,
    withoutUnset({
      level: nameOf(json.level, 20),
      code: nameOf(json.code, 50),
      description: textOf(json.description, 500),
    }),
  );

function locationTypeOf(source: unknown): 'gps' | 'wifi' | 'gsm' {
  const word = typeof source === 'string' ? source.slice(0, 50) : '';
  if (/GPS|GNSS/.test(word)) return 'gps';
  return word.includes('WIFI') ? 'wifi' : 'gsm';
}
