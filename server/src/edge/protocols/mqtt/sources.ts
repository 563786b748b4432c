import { homeassistantTopics } from './homeassistant-topics.ts';
import { openmqttgateway } from './openmqttgateway.ts';
import { owntracksTopics } from './owntracks-topics.ts';
import type { TopicSource } from './source.ts';
import { teltonikaTopics } from './teltonika-topics.ts';

export const topicSources: readonly TopicSource[] = [
  owntracksTopics,
  openmqttgateway,
  teltonikaTopics,
  homeassistantTopics,
];
