import type { HomeDevice } from '../../calls.ts';

/**
 * MQTT discovery of our devices for Home Assistant: a `device_tracker` and sensors for each. All messages are retained,
 * so that Home Assistant gets them after a restart. https://www.home-assistant.io/integrations/mqtt/
 */

interface Announced {
  readonly topic: string;
  readonly payload: string;
}

/** Topics of this installation. */
export interface HomeTopics {
  /** The first levels of Home Assistant's discovery topics. */
  readonly prefix: string;
  /** The unique name of this installation in topics. */
  readonly node: string;
}

/** Identifies the announcing software, also to this server itself. */
export const ORIGIN = 'Trackway';

interface SensorWords {
  readonly name: string;
  readonly deviceClass?: string;
  readonly unit?: string;
  readonly component?: 'sensor' | 'binary_sensor';
}

/** Reading types that become sensors, and their properties in Home Assistant. */
const SENSORS: Readonly<Record<string, SensorWords>> = {
  temp: { name: 'Temperature', deviceClass: 'temperature', unit: '°C' },
  humidity: { name: 'Humidity', deviceClass: 'humidity', unit: '%' },
  pressure: { name: 'Pressure', deviceClass: 'atmospheric_pressure', unit: 'hPa' },
  light: { name: 'Illuminance', deviceClass: 'illuminance', unit: 'lx' },
  co2: { name: 'CO₂', deviceClass: 'carbon_dioxide', unit: 'ppm' },
  ext_voltage: { name: 'Supply voltage', deviceClass: 'voltage', unit: 'V' },
  door: { name: 'Door', deviceClass: 'door', component: 'binary_sensor' },
  motion: { name: 'Motion', deviceClass: 'motion', component: 'binary_sensor' },
};
export const SHOWN_TYPES = Object.keys(SENSORS);

const BATTERY: SensorWords = { name: 'Battery', deviceClass: 'battery', unit: '%' };
const SPEED: SensorWords = { name: 'Speed', deviceClass: 'speed', unit: 'km/h' };
const ALL: readonly (readonly [string, SensorWords])[] = [
  ['battery', BATTERY],
  ['speed', SPEED],
  ...Object.entries(SENSORS),
];

export const statusTopic = ({ prefix, node }: HomeTopics) => `${prefix}/device_tracker/${node}/status`;
/** Status topic of Home Assistant. */
export const birthTopic = ({ prefix }: HomeTopics) => `${prefix}/status`;
/** Topic filter for all discovery messages of this installation. */
export const ownConfigFilter = ({ prefix, node }: HomeTopics) => `${prefix}/+/${node}/+/config`;

/** Whether this installation publishes to a topic. */
export function isOwnTopic({ prefix, node }: HomeTopics, topic: string): boolean {
  return topic.startsWith(`${prefix}/`) && topic.slice(prefix.length + 1).split('/')[1] === node;
}

/** The device of one of our own topics. */
export function deviceOfTopic(topics: HomeTopics, topic: string): number | undefined {
  if (!isOwnTopic(topics, topic)) return undefined;
  const [, , object = ''] = topic.slice(topics.prefix.length + 1).split('/');
  const digits = /^(\d{1,15})(?:_\w+)?$/.exec(object)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const trackerAt = ({ prefix, node }: HomeTopics, deviceId: number) => `${prefix}/device_tracker/${node}/${deviceId}`;
const sensorAt = (
  { prefix, node }: HomeTopics,
  deviceId: number,
  type: string,
  { component = 'sensor' }: SensorWords,
) => `${prefix}/${component}/${node}/${deviceId}_${type}`;

/** All topics that may have been published for a device. */
export function topicsAbout(topics: HomeTopics, deviceId: number): string[] {
  const tracker = trackerAt(topics, deviceId);
  const sensors = ALL.map(([type, words]) => sensorAt(topics, deviceId, type, words));
  return [...sensors, tracker].flatMap((at) => [`${at}/config`, `${at}/state`, `${at}/attributes`]);
}

/** All messages for a device, discovery before state. */
export function announced(topics: HomeTopics, device: HomeDevice): Announced[] {
  const { deviceId, name, place, batteryPct, readings } = device;
  const { node } = topics;
  const shared = {
    availability_topic: statusTopic(topics),
    device: { identifiers: [`${node}_${deviceId}`], name: name || `Device ${deviceId}`, manufacturer: ORIGIN },
    origin: { name: ORIGIN },
  };
  const reported: Announced[] = [];
  if (place !== null) {
    const at = trackerAt(topics, deviceId);
    const config = {
      ...shared,
      unique_id: `${node}_${deviceId}`,
      // The entity has the name of the device.
      name: null,
      state_topic: `${at}/state`,
      json_attributes_topic: `${at}/attributes`,
      source_type: 'gps',
    };
    reported.push({ topic: `${at}/config`, payload: JSON.stringify(config) });
    // `None` makes Home Assistant determine the zone from the coordinates.
    reported.push({ topic: `${at}/state`, payload: 'None' });
    const attributes = {
      latitude: place.lat,
      longitude: place.lng,
      gps_accuracy: place.accuracy ?? 0,
      ...(batteryPct !== null && { battery_level: Math.round(batteryPct) }),
      ...(place.speed !== null && { speed: place.speed }),
      ...(place.course !== null && { course: place.course }),
      last_seen: place.at,
    };
    reported.push({ topic: `${at}/attributes`, payload: JSON.stringify(attributes) });
  }
  const values: [string, SensorWords, unknown][] = [
    ['battery', BATTERY, batteryPct],
    ['speed', SPEED, place?.speed],
    ...Object.entries(SENSORS).map(([type, words]): [string, SensorWords, unknown] => [
      type,
      words,
      readings.get(type)?.value,
    ]),
  ];
  for (const [type, words, value] of values) {
    const state = stateOf(value, words);
    if (state === undefined) continue;
    const at = sensorAt(topics, deviceId, type, words);
    const { name: called, deviceClass, unit, component } = words;
    const config = {
      ...shared,
      unique_id: `${node}_${deviceId}_${type}`,
      name: called,
      state_topic: `${at}/state`,
      ...(deviceClass && { device_class: deviceClass }),
      ...(unit && { unit_of_measurement: unit }),
      ...(component === undefined && { state_class: 'measurement' }),
    };
    reported.push({ topic: `${at}/config`, payload: JSON.stringify(config) }, { topic: `${at}/state`, payload: state });
  }
  return reported;
}

function stateOf(value: unknown, { component }: SensorWords): string | undefined {
  if (component !== 'binary_sensor') return typeof value === 'number' ? String(value) : undefined;
  if (value === true || value === 1) return 'ON';
  return value === false || value === 0 ? 'OFF' : undefined;
}
