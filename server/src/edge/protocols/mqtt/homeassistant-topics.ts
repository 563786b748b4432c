import type { TopicSource } from './source.ts';

/**
 * Announcements for Home Assistant. They say on which topics entities speak, so they are read by `DiscoveredTopics`, which
 * remembers them, and not by themselves.
 */
export const homeassistantTopics: TopicSource = {
  name: 'homeassistant',
  prefix: 'homeassistant',
  filters: ['+/+/config', '+/+/+/config'],
  decode: () => ({ ignored: 'an announcement' }),
};
