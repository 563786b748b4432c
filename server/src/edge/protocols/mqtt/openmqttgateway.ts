import type { Report, ReportedReading } from '../../../reports.ts';
import { isChangingAddress } from '../advertisements/advertisements.ts';
import { isObject, type Json, nameOf, numberOf, parseJson, textOf, truthOf, withoutUnset } from '../claims.ts';
import { MAX_NAME } from '../limits.ts';
import type { DecodedTopic, TopicMessage, TopicSource } from './source.ts';

/**
 * OpenMQTTGateway and Theengs Gateway: `home/<gateway>/BTtoMQTT/<address>`, sightings of one tag by a gateway. The
 * gateway is our device, identified by its name. https://docs.openmqttgateway.com/
 */
export const openmqttgateway: TopicSource = {
  name: 'openmqttgateway',
  prefix: 'home',
  filters: ['+/BTtoMQTT/+'],
  decode,
};

const G = 9.80665;
const MAC = /^[0-9A-F]{12}$/;

function decode({ levels, payload, isRetained, now }: TopicMessage): DecodedTopic {
  const [gateway = '', , address = ''] = levels;
  const names = [gateway];
  const json = parseJson(payload.toString('utf8'));
  if (payload.length === 0) return { ignored: 'it is empty' };
  if (!isObject(json)) return { problem: 'the payload is not a JSON object', names };
  // The message has no timestamp.
  if (isRetained) return { ignored: 'the time of reception is unknown' };
  const sensorDeviceId = sensorOf(json, address);
  if (sensorDeviceId === undefined) return { ignored: 'an address that changes every few minutes' };
  if (sensorDeviceId === null) return { problem: 'it does not name the received device', names };
  const found = measured(json);
  const seen = found.length > 0 ? found : [{ type: 'ble_seen', value: nameIn(json) ?? sensorDeviceId }];
  const rssi = numberOf(json.rssi);
  const meta = withoutUnset({
    model: nameOf(json.model_id, MAX_NAME),
    distance: numberOf(json.distance),
    txPower: numberOf(json.txpower),
  });
  const gatewayReadings: ReportedReading[] = seen.map((reading) => ({
    ...reading,
    timestamp: now,
    isTimeAssumed: true,
    sensorDeviceId,
    ...(rssi !== undefined && { rssi }),
    ...(Object.keys(meta).length > 0 && { meta }),
  }));
  const report: Report = { points: [], readings: [], gatewayReadings, messages: [] };
  return { names, said: { report }, repeated: { sender: `${gateway} ${sensorDeviceId}`, value: JSON.stringify(seen) } };
}

/**
 * The identity of a beacon, or else its address; null if there is neither, undefined if the address will change soon.
 */
function sensorOf(json: Json, level: string): string | undefined | null {
  const uuid = nameOf(json.uuid, 40);
  const [major, minor] = [numberOf(json.major), numberOf(json.minor)];
  if (uuid !== undefined && major !== undefined && minor !== undefined) return `${hyphenated(uuid)}-${major}-${minor}`;
  const digits = (nameOf(json.id, MAX_NAME) ?? nameOf(json.mac, MAX_NAME) ?? level).replace(/[:-]/g, '').toUpperCase();
  if (!MAC.test(digits)) return null;
  const address = digits.match(/../g)!.join(':');
  return isChangingAddress(address, numberOf(json.mac_type) === 1) ? undefined : address;
}

function hyphenated(uuid: string): string {
  const digits = uuid.replaceAll('-', '').toLowerCase();
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(digits)?.slice(1);
  return parts?.join('-') ?? uuid.toLowerCase();
}

const nameIn = (json: Json) => textOf(json.name, MAX_NAME) ?? textOf(json.brand, MAX_NAME);

/**
 * Their names of measured values and ours, all in our units. Fahrenheit is ignored because it repeats the Celsius
 * value.
 */
const NUMBERS: readonly (readonly [theirs: string, ours: string])[] = [
  ['tempc', 'temp'],
  ['tempc2', 'temp2'],
  ['hum', 'humidity'],
  ['batt', 'battery'],
  ['volt', 'ext_voltage'],
  ['pres', 'pressure'],
  ['lux', 'light'],
  ['co2', 'co2'],
  ['moi', 'moisture'],
  ['fer', 'fertility'],
  ['weight', 'weight'],
];
const SWITCHES: readonly (readonly [theirs: string, ours: string])[] = [
  ['open', 'door'],
  ['contact', 'door'],
  ['motion', 'motion'],
  ['pir', 'motion'],
];

function measured(json: Json): { readonly type: string; readonly value: unknown }[] {
  const found = new Map<string, unknown>();
  for (const [theirs, ours] of NUMBERS) {
    const value = numberOf(json[theirs]);
    if (value !== undefined) found.set(ours, value);
  }
  for (const [theirs, ours] of SWITCHES) {
    const value = truthOf(json[theirs]);
    if (value !== undefined && !found.has(ours)) found.set(ours, value);
  }
  const acceleration = [json.accx, json.accy, json.accz].map(numberOf);
  if (acceleration.every((axis) => axis !== undefined))
    found.set(
      'accel_3d',
      acceleration.map((axis) => Math.round((axis / G) * 1000) / 1000),
    );
  return [...found].map(([type, value]) => ({ type, value }));
}
