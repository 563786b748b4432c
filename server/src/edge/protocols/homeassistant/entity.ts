import { isObject, type Json, nameOf, parseJson } from '../claims.ts';
import { MAX_NAME } from '../limits.ts';
import { type ValuePath, valuePathOf, WHOLE_TEXT } from './template.ts';

/**
 * Discovery messages for Home Assistant: `<prefix>/<component>/[<node>/]<object>/config`, or several entities at once
 * at `<prefix>/device/<object>/config`. https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
 */
export interface HomeEntity {
  readonly component: 'device_tracker' | 'sensor' | 'binary_sensor';
  /** Possible identifiers of the device, best first. */
  readonly names: readonly string[];
  /** The entity's own name. */
  readonly object: string;
  readonly stateTopic?: string;
  readonly statePath: ValuePath;
  readonly attributesTopic?: string;
  readonly attributesPath: ValuePath;
  readonly deviceClass?: string;
  readonly unit?: string;
  /** Payloads for "at home" of a tracker or "on" of a sensor, and for the opposite. */
  readonly yes: string;
  readonly no: string;
}

export type ReadConfig =
  | { readonly entities: readonly HomeEntity[] }
  | { readonly ignored: string }
  | { readonly problem: string };

/** Full names of the abbreviations in discovery messages. */
const LONG: Readonly<Record<string, string>> = {
  stat_t: 'state_topic',
  json_attr_t: 'json_attributes_topic',
  json_attr_tpl: 'json_attributes_template',
  val_tpl: 'value_template',
  dev_cla: 'device_class',
  unit_of_meas: 'unit_of_measurement',
  dev: 'device',
  ids: 'identifiers',
  cns: 'connections',
  sn: 'serial_number',
  uniq_id: 'unique_id',
  pl_on: 'payload_on',
  pl_off: 'payload_off',
  pl_home: 'payload_home',
  pl_not_home: 'payload_not_home',
  o: 'origin',
  cmps: 'components',
  p: 'platform',
};
const COMPONENTS = ['device_tracker', 'sensor', 'binary_sensor'] as const;
const MAX_TOPIC = 500;
const MOST_COMPONENTS = 50;
const WHOLE_JSON: ValuePath = { isJson: true, steps: [] };

/**
 * @param levels of the topic below the prefix
 * @param isForeign whether a topic may be subscribed to: false for topics that this server publishes
 */
export function readConfig(
  levels: readonly string[],
  payload: Buffer,
  isForeign: (topic: string) => boolean,
): ReadConfig {
  const [component = '', ...between] = levels.slice(0, -1);
  const object = between.at(-1) ?? '';
  const node = between.length > 1 ? between[0] : undefined;
  const isMany = component === 'device';
  if (!isMany && !isComponent(component)) return { ignored: 'such entities are not supported' };
  if (node?.startsWith('trackway_')) return { ignored: 'it is an entity of Trackway' };
  if (payload.length === 0) return { entities: [] };
  const config = parseJson(payload.toString('utf8'));
  if (!isObject(config)) return { problem: 'the payload is not a JSON object' };
  const long = lengthened(config);
  if (isObject(long.origin) && lengthened(long.origin).name === 'Trackway')
    return { ignored: 'it is an entity of Trackway' };
  const parts: [string, string, Json][] = isMany
    ? Object.entries(isObject(long.components) ? long.components : {})
        .slice(0, MOST_COMPONENTS)
        .flatMap(([name, part]): [string, string, Json][] => {
          const own = isObject(part) ? lengthened(part) : {};
          return [[String(own.platform ?? ''), name, { ...long, ...own, device: long.device }]];
        })
    : [[component, object, long]];
  return {
    entities: parts.flatMap(([kind, name, part]) =>
      isComponent(kind) ? entityOf(kind, { node, object: name }, part, isForeign) : [],
    ),
  };
}

const isComponent = (word: string): word is HomeEntity['component'] => (COMPONENTS as readonly string[]).includes(word);

const lengthened = (config: Json): Json =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [LONG[key] ?? key, value]));

function entityOf(
  component: HomeEntity['component'],
  { node, object }: { readonly node: string | undefined; readonly object: string },
  config: Json,
  isForeign: (topic: string) => boolean,
): HomeEntity[] {
  const base = typeof config['~'] === 'string' ? config['~'] : '';
  const topicOf = (sent: unknown): string | undefined => {
    if (typeof sent !== 'string') return undefined;
    const topic = sent.startsWith('~') ? base + sent.slice(1) : sent.endsWith('~') ? sent.slice(0, -1) + base : sent;
    const isTopic = topic !== '' && topic.length <= MAX_TOPIC && !/^\$|[+#\p{C}]/u.test(topic);
    return isTopic && isForeign(topic) ? topic : undefined;
  };
  const pathOf = (template: unknown, absent: ValuePath) =>
    typeof template === 'string' ? valuePathOf(template) : absent;
  const names = namesOf(config, node, object, component);
  const statePath = pathOf(config.value_template, WHOLE_TEXT);
  const attributesPath = pathOf(config.json_attributes_template, WHOLE_JSON);
  const stateTopic = statePath && topicOf(config.state_topic);
  const attributesTopic =
    attributesPath && component === 'device_tracker' ? topicOf(config.json_attributes_topic) : undefined;
  if (names.length === 0 || (stateTopic === undefined && attributesTopic === undefined)) return [];
  const [yes, no] =
    component === 'device_tracker'
      ? [config.payload_home ?? 'home', config.payload_not_home ?? 'not_home']
      : [config.payload_on ?? 'ON', config.payload_off ?? 'OFF'];
  const deviceClass = nameOf(config.device_class, 50);
  const unit = nameOf(config.unit_of_measurement, 20);
  return [
    {
      component,
      names,
      object: object.slice(0, MAX_NAME),
      statePath: statePath ?? WHOLE_TEXT,
      attributesPath: attributesPath ?? WHOLE_JSON,
      ...(stateTopic !== undefined && { stateTopic }),
      ...(attributesTopic !== undefined && { attributesTopic }),
      ...(deviceClass !== undefined && { deviceClass }),
      ...(unit !== undefined && { unit }),
      yes: String(yes).slice(0, 100),
      no: String(no).slice(0, 100),
    },
  ];
}

/** Its serial numbers and addresses, then its name in the topic. */
function namesOf(config: Json, node: string | undefined, object: string, component: HomeEntity['component']): string[] {
  const device = isObject(config.device) ? lengthened(config.device) : {};
  const listed = (sent: unknown): unknown[] => (Array.isArray(sent) ? sent.slice(0, 10) : [sent]);
  const addresses = listed(device.connections).flatMap((pair) => (Array.isArray(pair) ? [pair[1]] : []));
  const inTopic = node ?? (component === 'device_tracker' ? object : undefined);
  const all = [...listed(device.identifiers), device.serial_number, ...addresses, inTopic, config.unique_id];
  const names = all.flatMap((one) => nameOf(one, MAX_NAME) ?? []);
  return [
    ...new Set(
      names.flatMap((name) => (/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(name) ? [name.toUpperCase(), name] : [name])),
    ),
  ];
}
