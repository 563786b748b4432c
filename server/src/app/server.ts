import type { AddressInfo, Socket } from 'node:net';
import { trackerCommands } from '../domain/commands/tracker-commands.ts';
import { brokerGate } from '../domain/delivery/listener-credentials.ts';
import { ownDevices } from '../domain/devices/identifiers.ts';
import { TrackerNotes } from '../domain/devices/tracker-notes.ts';
import { erasureParts } from '../domain/history/personal-data.ts';
import { linkFrames } from '../domain/links/look.ts';
import { reportSender } from '../domain/reports/send-report.ts';
import { figures } from '../domain/service/figures.ts';
import { serverMaps } from '../domain/service/maps.ts';
import { exchangeCounts } from '../domain/service/nodes/exchange-counts.ts';
import { serverReach } from '../domain/service/reach.ts';
import { phoneFriends } from '../domain/tracking/api/phone-friends.ts';
import { reportReceiver } from '../domain/tracking/api/receive-report.ts';
import { followSoon } from '../domain/triggers/follow-rules.ts';
import { keptAnswers, recordingKeys } from '../domain/users/kept-answers.ts';
import { sendTest, setupOf, TEST_TEXT } from '../edge/channels/channels.ts';
import { closeHttpServer } from '../edge/http/connections.ts';
import { LocalNetwork } from '../edge/http/local-network.ts';
import type { RequestContext } from '../edge/http/mount.ts';
import type { Operators } from '../edge/http/operators.ts';
import { RateLimit } from '../edge/http/rate-limit.ts';
import { startRedirect } from '../edge/http/redirect.ts';
import { SecurityLog } from '../edge/http/security-log.ts';
import { createHttpServer, type HttpOptions } from '../edge/http/server.ts';
import type { Trackers } from '../edge/listeners/trackers.ts';
import { timeNow } from '../platform/clock.ts';
import { type Accounts, openidOf } from './accounts.ts';
import type { AppBase } from './base.ts';
import { addressOf, geocoderOf, isGiven, routerOf } from './from-settings.ts';
import { handlersOf } from './handlers.ts';
import { exchangedOf, limitsOf } from './limits.ts';
import type { NodeParts } from './node.ts';
import type { Outlets, Processing } from './processing.ts';
import { counted, rejectWhenDiskFull } from './receiving.ts';
import { shareFollowers } from './sharing.ts';
import type { OpenedStore } from './store.ts';
import type { Certificates, Watched } from './vitals.ts';

/** How many parts of a map file a user may ask for where one request of another kind is allowed. */
const TILES_PER_REQUEST = 10;
const NO_TRACKERS: ReturnType<Trackers['figures']> = { byProtocol: new Map(), refused: 0 };

/** What tests replace of the machine, and what this process has of it. */
export interface Machine {
  /** Its addresses in the local network. */
  readonly networkAddresses?: () => readonly string[];
  /** Which of several processes of this server it is: the first has the UDP ports. */
  readonly processNumber?: number;
  /** Its database, if the caller has opened it. */
  readonly opened?: OpenedStore;
}

/** All that started before the server. */
export type Started = AppBase & Accounts & Outlets & Processing & NodeParts & Certificates & Watched;

export type Services = ReturnType<typeof openServices>;

/** What the server offers, before it listens. */
export function openServices(started: Started, machine: Machine, running: AsyncDisposableStack) {
  const { store, vault, settings, policy, egress, engine, received, node, listening, log, bus } = started;
  const notes = new TrackerNotes();
  running.defer(() =>
    notes
      .write(store)
      .catch((error) => log.error({ error }, 'Unknown trackers and undecoded data could not be stored')),
  );
  const limits = limitsOf(settings);
  const exchange = exchangeCounts(store, exchangedOf(limits), { log, nodes: node.count });
  running.defer(() => exchange.stop());
  const geocoder = geocoderOf(settings, egress, log);
  running.defer(() => geocoder?.close());
  const router = routerOf(settings, egress, log);
  running.defer(() => router?.close());
  const network = new LocalNetwork((socket) => bus.emit('connected', socket), log);
  const receiver = { ...reportReceiver(store, engine.intake, vault), friendsOf: phoneFriends(store) };
  return {
    notes,
    commands: trackerCommands(store),
    limits,
    geocoder,
    router,
    network,
    reach: serverReach(store, { ...settings, ...machine, address: () => listening.address, listeners: network }),
    reception: counted(rejectWhenDiskFull(receiver, store), received.reports),
    erasure: erasureParts(store, vault),
    reports: reportSender(store, policy, vault),
    maps: serverMaps(store, settings),
    hasUdp: (machine.processNumber ?? 1) === 1,
  };
}

/** Opens the HTTP server, which does not listen yet. */
export function openServer(started: Started, services: Services, running: AsyncDisposableStack) {
  const { store, settings, live, outbox, listening, bus } = started;
  const server = createHttpServer(optionsOf(started, services));
  bus.on('connected', (socket: Socket) => server.server.emit('connection', socket));
  running.defer(async () => {
    // A server closes once its answers are complete, and a live stream is complete only when it is ended. What is being
    // sent has the same time to end: one after the other would take longer than an orchestrator waits.
    services.network.stop();
    await live.stop();
    const httpClosed = closeHttpServer(server, settings.stopTimeout * 500);
    await Promise.all([httpClosed, outbox.stop(), listening.trackers?.stop()]);
  });
  store.condition.enforce();
  return server;
}

export type HttpServer = ReturnType<typeof openServer>;

/** From here on, clients are answered. */
export async function listen(
  server: HttpServer,
  { settings, acme, log, listening }: Started,
  running: AsyncDisposableStack,
): Promise<void> {
  const { host, publicUrl, redirectPort } = settings;
  await server.listen({ host, port: settings.port });
  const bound = server.server.address() as AddressInfo;
  listening.address = addressOf(settings, bound);
  if (redirectPort >= 0) {
    const redirect = await startRedirect({
      host,
      publicUrl,
      port: redirectPort,
      httpsPort: bound.port,
      challengeAnswer: acme && ((token) => acme.challengeAnswer(token)),
    });
    running.defer(() => void redirect.close().closeAllConnections());
    log.info({ port: (redirect.address() as AddressInfo).port }, 'HTTP is redirected to HTTPS');
  }
  acme?.start();
  running.defer(() => acme?.stop());
}

function optionsOf(started: Started, services: Services): HttpOptions {
  const { store, settings, log, live, life, uses, signing, egress, acme, certificate, proxies } = started;
  const { limits, maps, notes, reception } = services;
  return {
    context: contextOf(started, services),
    live,
    broker: { gate: brokerGate(store, settings.mqttUrl, { life, uses }), secret: settings.mqttHookSecret },
    session: { sessions: signing.sessions, publicUrl: settings.publicUrl },
    ...(settings.openidIssuer !== '' && { openid: openidOf(settings, signing, log) }),
    operators: operatorsOf(started, services),
    ingest: {
      reception,
      notes,
      bodyLimit: settings.ingestBodyLimit,
      maxItems: settings.ingestMaxItems,
      limit: limits.reports,
      failures: limits.failures,
    },
    networks: { devices: ownDevices(store), notes, egress },
    console: { mapAddresses: maps.addresses, mapOverlay: settings.mapOverlay, linkFrames: linkFrames(store) },
    mapFiles: {
      folder: settings.data,
      limit: new RateLimit(settings.rateLimit * TILES_PER_REQUEST),
      openFile: maps.openFile,
    },
    log,
    bodyLimit: settings.bodyLimit,
    trustProxy: settings.trustProxy,
    proxies,
    connectionLimit: settings.connectionLimit,
    host: settings.host,
    certificate,
    challenge: acme && ((name) => acme.challengeContext(name)),
    isSecure: settings.publicUrl.startsWith('https:'),
    unknown: limits.unknown,
    securityContact: settings.securityContact,
  };
}

function contextOf(started: Started, services: Services): RequestContext {
  const { store, given, settings, vault, values, log, bus, egress, channels, proofs, gate, listening } = started;
  const { limits } = services;
  const wakeOutbox = () => bus.emit('outboxChanged');
  return {
    handlers: handlersOf({
      ...started,
      ...services,
      store: recordingKeys(store),
      wakeOutbox,
      sendProof: proofs.send,
      channelSetup: {
        vault,
        values,
        isFixed: (setting) => isGiven(given, setting),
        missing: (channel) => setupOf(settings)[channel].missing,
        checkHost: egress.checkHost,
        sendTest: (channel, target, address) =>
          channel === 'sqs' ? proofs.send(target, TEST_TEXT) : sendTest(channels[channel], target, address),
        changed: wakeOutbox,
      },
      shareFollowers,
      messageQueued: (deviceId) => bus.emit('messageQueued', deviceId),
      channelReleased: (deviceId) => bus.emit('channelReleased', deviceId),
      trackersPort: () => listening.trackers?.port,
      follow: () => followSoon(store, timeNow()),
    }),
    gate,
    limit: limits.requests,
    guarded: limits.guarded,
    security: new SecurityLog(log),
    answers: keptAnswers(store),
  };
}

function operatorsOf(started: Started, { notes }: Services): Operators {
  const { store, settings, gate, vitals, node, engine, listening } = started;
  return {
    gate,
    ready: vitals.ready,
    nodeName: settings.nodeName && node.name,
    metricsToken: settings.metricsToken,
    isProxied: settings.trustProxy !== '' || settings.publicUrl !== '',
    figures: figures(store, {
      ...vitals,
      node,
      intakeWaiting: () => engine.intake.waiting,
      trackers() {
        const { byProtocol, refused } = listening.trackers?.figures() ?? NO_TRACKERS;
        return { connections: byProtocol, refused, undecoded: notes.undecodedBy };
      },
    }),
  };
}
