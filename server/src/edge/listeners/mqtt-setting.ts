import { BadSetting } from '../../platform/settings.ts';
import type { TopicSource } from '../protocols/mqtt/source.ts';

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
  if (prefix !== undefined) requireLevels(prefix, ' behind the colon');
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
