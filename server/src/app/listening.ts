import { randomBytes } from 'node:crypto';
import type { TrackerDesk } from '../calls.ts';
import { installationLease } from '../domain/schema/installation-lease.ts';
import { installationText, installationValue } from '../domain/schema/installation-value.ts';
import type { Store } from '../domain/schema/tables.ts';
import { homeDevices } from '../domain/service/home-devices.ts';
import { isOwnTopic, SHOWN_TYPES } from '../edge/home-assistant/announce.ts';
import { startHomePublisher } from '../edge/home-assistant/publisher.ts';
import { RateLimit } from '../edge/http/rate-limit.ts';
import { DiscoveredTopics } from '../edge/listeners/discovered-topics.ts';
import { fixedPortsOf } from '../edge/listeners/listen-setting.ts';
import { startMqttListener } from '../edge/listeners/mqtt.ts';
import type { MqttDesk } from '../edge/listeners/mqtt-reader.ts';
import { filtersOf, listenedTopicsOf, topicIn } from '../edge/listeners/mqtt-setting.ts';
import { startTrackers, type Trackers } from '../edge/listeners/trackers.ts';
import { homeassistantTopics } from '../edge/protocols/mqtt/homeassistant-topics.ts';
import { topicSources } from '../edge/protocols/mqtt/sources.ts';
import { trackerProtocols } from '../edge/protocols/trackers/trackers.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../settings.ts';
import type { Limits } from './limits.ts';

export const listenToTrackers = (settings: Settings, desk: TrackerDesk, limits: Limits, log: Log): Promise<Trackers> =>
  startTrackers({
    host: settings.host,
    port: settings.trackersPort === -1 ? undefined : settings.trackersPort,
    fixed: fixedPortsOf(settings.listen, trackerProtocols),
    protocols: trackerProtocols,
    connections: settings.trackersConnections,
    perAddress: settings.trackersPerAddress,
    idleMs: settings.trackersIdle * 1000,
    ...(settings.trackersCert !== '' && {
      certificate: { cert: settings.trackersCert, key: settings.trackersKey || settings.trackersCert },
    }),
    desk,
    failures: limits.trackerFailures,
    limit: limits.trackers,
    log,
  });

/** How long another server waits for one that died before it listens to the broker instead. */
const LISTENER_MS = 20_000;

export async function listenToBroker(settings: Settings, store: Store, desk: MqttDesk, log: Log) {
  const { mqttUrl: url, mqttListen, ingestBodyLimit: maxBytes, ingestRateLimit } = settings;
  const topics = listenedTopicsOf(mqttListen, topicSources);
  if (topics.length === 0) return undefined;
  if (url === '') {
    log.warn({}, 'TRACKWAY_MQTT_LISTEN needs the address of a broker: set TRACKWAY_MQTT_URL');
    return undefined;
  }
  const home = { prefix: settings.homeAssistantPrefix, node: await homeNode(store) };
  const isDiscovering = topics.some(({ source }) => source === homeassistantTopics);
  return startMqttListener({
    url,
    ...(isDiscovering && {
      discovered: new DiscoveredTopics({
        memory: installationText(store, 'homeAssistantEntities'),
        isForeign: (topic) => topicIn(topics, topic) === undefined && !isOwnTopic(home, topic),
      }),
    }),
    clientId: await installationValue(store, 'mqttClientId', () => `trackway-in-${randomBytes(6).toString('hex')}`),
    topics,
    formerFilters: topicSources.flatMap((source) => filtersOf({ source, prefix: source.prefix })),
    lease: installationLease(store, 'mqttListener', LISTENER_MS),
    maxBytes,
    limit: new RateLimit(ingestRateLimit),
    desk,
    log,
  });
}

/** By it this installation knows what it published to Home Assistant. */
const homeNode = (store: Store) =>
  installationValue(store, 'homeAssistantNode', () => `trackway_${randomBytes(6).toString('hex')}`);

export async function showAtHome(settings: Settings, store: Store, log: Log) {
  const { mqttUrl: url, homeAssistant: email, homeAssistantPrefix: prefix } = settings;
  if (email === '') return undefined;
  if (url === '') {
    log.warn({}, 'TRACKWAY_HOME_ASSISTANT needs the address of a broker: set TRACKWAY_MQTT_URL');
    return undefined;
  }
  return startHomePublisher({
    url,
    prefix,
    node: await homeNode(store),
    devices: homeDevices(store, email, SHOWN_TYPES),
    lease: installationLease(store, 'homeAssistant', LISTENER_MS),
    log,
  });
}
