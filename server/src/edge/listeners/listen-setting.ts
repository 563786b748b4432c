import { BadSetting } from '../../platform/settings.ts';
import type { TopicSource } from '../protocols/mqtt/source.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { TrackerPort } from './context.ts';

/** A separate port for trackers. */
export interface FixedPort extends TrackerPort {
  readonly number: number;
}

const ANY = 'any';
/** The well-known port of every protocol. */
const TRACCAR = 'traccar';
/** The port where apps report over HTTP. */
const HTTP_PORT = 5055;

/** Parses `gt06:5023,teltonika:5027;relay,any:5011;anychecksum` and `traccar`. */
export function fixedPortsOf(value: string, protocols: readonly TrackerProtocol[]): FixedPort[] {
  const parts = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const listed = parts.filter((part) => part !== TRACCAR).map((part) => fixedPortOf(part, protocols));
  if (listed.length === parts.length) return listed;
  const wellKnown: FixedPort[] = [
    ...protocols.map((protocol) => ({ protocol, number: protocol.wellKnownPort, isRelay: false })),
    { number: HTTP_PORT, isRelay: false },
  ];
  return [...listed, ...wellKnown.filter(({ number }) => listed.every((one) => one.number !== number))];
}

function fixedPortOf(part: string, protocols: readonly TrackerProtocol[]): FixedPort {
  const [place = '', ...words] = part.split(';').map((word) => word.trim());
  const [, name, digits] = /^(\w+):(\d{1,5})$/.exec(place) ?? [];
  const number = Number(digits);
  const protocol = protocols.find((one) => one.name === name);
  if (name === undefined || number > 65_535)
    throw new BadSetting(
      `must be a list of protocols and ports, such as gt06:5023,teltonika:5027, or ${TRACCAR}, not ${JSON.stringify(part)}`,
    );
  if (protocol === undefined && name !== ANY)
    throw new BadSetting(
      `contains the unknown protocol ${JSON.stringify(name)}. Known protocols: ${[...protocols.map((one) => one.name), ANY].join(', ')}`,
    );
  const strange = words.find((word) => word !== 'relay' && word !== 'anychecksum');
  if (strange !== undefined)
    throw new BadSetting(`accepts the options relay and anychecksum after a port, not ${JSON.stringify(strange)}`);
  return { protocol, number, isRelay: words.includes('relay'), acceptsWrongChecksum: words.includes('anychecksum') };
}

/** Subscribed topics of one convention. */
export interface ListenedTopics {
  readonly source: TopicSource;
  readonly prefix: string;
}

/** Parses `owntracks,openmqttgateway:garage`. */
export function listenedTopicsOf(value: string, sources: readonly TopicSource[]): ListenedTopics[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => listenedTopicOf(part, sources));
}

function listenedTopicOf(part: string, sources: readonly TopicSource[]): ListenedTopics {
  const [, name, prefix] = /^([\w-]+)(?::(.*))?$/.exec(part) ?? [];
  const source = sources.find((one) => one.name === name);
  if (source === undefined)
    throw new BadSetting(
      `must be a list of ${sources.map((one) => one.name).join(', ')}, each with or without :topic, not ${JSON.stringify(part)}`,
    );
  if (prefix !== undefined) requireLevels(prefix, ' after the colon');
  return { source, prefix: prefix ?? source.prefix };
}

/** Rejects values that cannot be the first levels of topics. */
export function requireLevels(prefix: string, where = ''): void {
  if (!/^[^$+#\p{C}/][^+#\p{C}]*[^+#\p{C}/]$|^[^$+#\p{C}/]$/u.test(prefix))
    throw new BadSetting(`must name the first levels of topics${where}, such as home, not ${JSON.stringify(prefix)}`);
}

const below = (prefix: string, filter: string) => (prefix === '' ? filter : `${prefix}/${filter}`);

export const filtersOf = ({ source, prefix }: ListenedTopics) => source.filters.map((filter) => below(prefix, filter));

/** The convention of a topic, and its levels below the prefix. */
export function topicIn(
  listened: readonly ListenedTopics[],
  topic: string,
): { readonly source: TopicSource; readonly levels: readonly string[] } | undefined {
  const levels = topic.split('/');
  for (const { source, prefix } of listened) {
    const own = prefix === '' ? levels : levels.slice(prefix.split('/').length);
    if (prefix !== '' && !topic.startsWith(`${prefix}/`)) continue;
    if (source.filters.some((filter) => isMatch(filter.split('/'), own))) return { source, levels: own };
  }
  return undefined;
}

const isMatch = (filter: readonly string[], levels: readonly string[]) =>
  filter.length === levels.length && filter.every((level, index) => level === '+' || level === levels[index]);
