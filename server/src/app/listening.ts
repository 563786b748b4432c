import { randomBytes } from 'node:crypto';
import type { TrackerGateway } from '../calls.ts';
import { channelRegistry } from '../domain/commands/channel-registry.ts';
import { installationLease, installationText, installationValue } from '../domain/schema/installation-lease.ts';
import type { Store } from '../domain/schema/tables.ts';
import { homeDevices } from '../domain/service/home-devices.ts';
import { trackerGateway } from '../domain/tracking/api/tracker-gateway.ts';
import { RateLimit } from '../edge/http/rate-limit.ts';
import { serveReports } from '../edge/http/server.ts';
import { isOwnTopic, SHOWN_TYPES } from '../edge/integrations/home-announce.ts';
import { startHomePublisher } from '../edge/integrations/home-publisher.ts';
import { DiscoveredTopics } from '../edge/listeners/discovered-topics.ts';
import { filtersOf, fixedPortsOf, listenedTopicsOf, topicIn } from '../edge/listeners/listen-setting.ts';
import { startMqttListener } from '../edge/listeners/mqtt.ts';
import type { MqttGateway } from '../edge/listeners/mqtt-reader.ts';
import { startTrackers, type Trackers } from '../edge/listeners/trackers.ts';
import { homeassistantTopics } from '../edge/protocols/mqtt/homeassistant-topics.ts';
import { topicSources } from '../edge/protocols/mqtt/sources.ts';
import { trackerProtocols } from '../edge/protocols/trackers/trackers.ts';
import type { Log } from '../platform/log.ts';
import { trackersCertificateOf } from './from-settings.ts';
import { rejectTrackersWhenDiskFull } from './receiving.ts';
import type { HttpServer, Services, Started } from './server.ts';
import type { Settings } from './settings.ts';

/** Trackers, the operator's broker, and Home Assistant. */
export async function listenToDevices(
  server: HttpServer,
  started: Started,
  services: Services,
  running: AsyncDisposableStack,
): Promise<void> {
  const { store, settings, engine, received, mailer, node, listening, bus, log } = started;
  const { notes, commands, reception } = services;
  const parts = { notes, commands, mail: mailer, channels: channelRegistry(store, node), log };
  const gateway = rejectTrackersWhenDiskFull(trackerGateway(store, engine.intake, parts), store, received);
  const trackers = await listenToTrackers(server, started, services, gateway);
  listening.trackers = trackers;
  bus.on('messageQueued', (deviceId) => trackers.wake(deviceId));
  bus.on('channelReleased', (deviceId) => trackers.release(deviceId));
  const { deviceOfIdentifier, isCurrent, secretOf, friendsOf } = reception;
  const broker = await listenToBroker(
    settings,
    store,
    { ...gateway, deviceOfIdentifier, isCurrent, secretOf, friendsOf },
    log,
  );
  listening.broker = broker;
  running.defer(() => broker?.stop());
  const home = await showAtHome(settings, store, log);
  running.defer(() => home?.stop());
}

function listenToTrackers(
  server: HttpServer,
  { settings, certificate: ofServer, log }: Started,
  { limits, hasUdp }: Services,
  gateway: TrackerGateway,
): Promise<Trackers> {
  const certificate = trackersCertificateOf(settings, ofServer, log);
  return startTrackers({
    host: settings.host,
    port: settings.trackersPort === -1 ? undefined : settings.trackersPort,
    fixed: fixedPortsOf(settings.listen, trackerProtocols),
    protocols: trackerProtocols,
    hasUdp,
    connections: settings.trackersConnections,
    perAddress: settings.trackersPerAddress,
    idleMs: settings.trackersIdle * 1000,
    ...(certificate && { certificate }),
    gateway,
    failures: limits.trackerFailures,
    limit: limits.trackers,
    serveHttp: (socket) => serveReports(server, socket),
    log,
  });
}

/** How long another server waits for one that died before it listens to the broker instead. */
const LISTENER_MS = 20_000;

async function listenToBroker(settings: Settings, store: Store, gateway: MqttGateway, log: Log) {
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
    gateway,
    log,
  });
}

/** Marks what this installation published to Home Assistant. */
const homeNode = (store: Store) =>
  installationValue(store, 'homeAssistantNode', () => `trackway_${randomBytes(6).toString('hex')}`);

async function showAtHome(settings: Settings, store: Store, log: Log) {
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
