import type { TopicSource } from './source.ts';

/**
 * Discovery messages of Home Assistant. They name the topics of entities, so `DiscoveredTopics`, which stores them,
 * decodes them.
 */
export const homeassistantTopics: TopicSource = {
  name: 'homeassistant',
  prefix: 'homeassistant',
  filters: ['+/+/config', '+/+/+/config'],
  decode: () => ({ ignored: 'an announcement' }),
};
