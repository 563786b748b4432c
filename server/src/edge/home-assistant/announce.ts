import type { HomeDevice } from '../../calls.ts';

/**
 * What Home Assistant is told of our devices: for each a `device_tracker` and sensors, by its discovery. All of it is
 * retained, so that Home Assistant knows it after a restart. https://www.home-assistant.io/integrations/mqtt/
 */

export interface Announced {
  readonly topic: string;
  readonly payload: string;
}

/** Where it is told. */
export interface HomeTopics {
  /** The first levels of Home Assistant's discovery topics. */
  readonly prefix: string;
  /** Of this installation: no other uses topics with it. */
  readonly node: string;
}

/** By it everybody, we too, knows who announced an entity. */
export const ORIGIN = 'Trackway';

interface SensorWords {
  readonly name: string;
  readonly deviceClass?: string;
  readonly unit?: string;
  readonly component?: 'sensor' | 'binary_sensor';
}

/** Types of readings that are shown, and what they are there. */
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
/** What Home Assistant says of itself. */
export const birthTopic = ({ prefix }: HomeTopics) => `${prefix}/status`;
/** Where everything lies that this installation has announced. */
export const ownConfigFilter = ({ prefix, node }: HomeTopics) => `${prefix}/+/${node}/+/config`;

/** Whether a topic is one of those that this installation publishes to. */
export function isOwnTopic({ prefix, node }: HomeTopics, topic: string): boolean {
  return topic.startsWith(`${prefix}/`) && topic.slice(prefix.length + 1).split('/')[1] === node;
}

/** The device that one of our own topics is about. */
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

/** All topics that anything may have been told on of a device. */
export function topicsAbout(topics: HomeTopics, deviceId: number): string[] {
  const tracker = trackerAt(topics, deviceId);
  const sensors = ALL.map(([type, words]) => sensorAt(topics, deviceId, type, words));
  return [...sensors, tracker].flatMap((at) => [`${at}/config`, `${at}/state`, `${at}/attributes`]);
}

/** What is to be told of a device, an entity before its state. */
export function announced(topics: HomeTopics, device: HomeDevice): Announced[] {
  const { deviceId, name, place, batteryPct, readings } = device;
  const { node } = topics;
  const shared = {
    availability_topic: statusTopic(topics),
    device: { identifiers: [`${node}_${deviceId}`], name: name || `Device ${deviceId}`, manufacturer: ORIGIN },
    origin: { name: ORIGIN },
  };
  const told: Announced[] = [];
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
    told.push({ topic: `${at}/config`, payload: JSON.stringify(config) });
    // In which zone that is, Home Assistant finds out by itself: this is its word for it.
    told.push({ topic: `${at}/state`, payload: 'None' });
    const attributes = {
      latitude: place.lat,
      longitude: place.lng,
      gps_accuracy: place.accuracy ?? 0,
      ...(batteryPct !== null && { battery_level: Math.round(batteryPct) }),
      ...(place.speed !== null && { speed: place.speed }),
      ...(place.course !== null && { course: place.course }),
      last_seen: place.at,
    };
    told.push({ topic: `${at}/attributes`, payload: JSON.stringify(attributes) });
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
    told.push({ topic: `${at}/config`, payload: JSON.stringify(config) }, { topic: `${at}/state`, payload: state });
  }
  return told;
}

function stateOf(value: unknown, { component }: SensorWords): string | undefined {
  if (component !== 'binary_sensor') return typeof value === 'number' ? String(value) : undefined;
  if (value === true || value === 1) return 'ON';
  return value === false || value === 0 ? 'OFF' : undefined;
}
