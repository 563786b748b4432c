import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Gate, Handlers, ReportReceiver, TrackerDesk } from './calls.ts';
import { type AdminPolicy, keepAdminPolicy } from './domain/admin-rights.ts';
import { auditOperations } from './domain/audit/operations.ts';
import { rtkOperations } from './domain/commands/rtk-operations.ts';
import { transientOperations } from './domain/commands/transients.ts';
import { firmwareOperations } from './domain/device-config/firmware.ts';
import { deviceConfigs } from './domain/device-config/operations.ts';
import { type DeviceAccess, deviceAccess } from './domain/devices/access.ts';
import { claimOperations } from './domain/devices/claiming/operations.ts';
import { claimGrants, claimWaitingGrants, type ShareFollower, type ShareFollowers } from './domain/devices/grants.ts';
import { deviceGroupOperations } from './domain/devices/groups/operations.ts';
import { claimGroupGrants, claimWaitingGroupGrants } from './domain/devices/groups/waiting-grants.ts';
import { deviceIdentifiers } from './domain/devices/identifiers.ts';
import { metaAndTagOperations } from './domain/devices/meta-and-tags.ts';
import { deviceOperations } from './domain/devices/operations.ts';
import { devicePlanOperations } from './domain/devices/plans/operations.ts';
import { rulesChanged } from './domain/devices/rules-changed.ts';
import { shareOperations } from './domain/devices/shares.ts';
import { trackerOperations } from './domain/devices/trackers/operations.ts';
import { ownDevices } from './domain/devices/trackers/own-devices.ts';
import { TrackerNotes } from './domain/devices/trackers/tracker-notes.ts';
import { devicePages } from './domain/devices/v2/page-v2.ts';
import { driverOperations } from './domain/drivers/operations.ts';
import { geofenceListOperations } from './domain/geofences/lists/operations.ts';
import { claimListGrants, claimWaitingListGrants } from './domain/geofences/lists/waiting-grants.ts';
import { geofenceOperations } from './domain/geofences/operations.ts';
import { geofenceV2Operations } from './domain/geofences/operations-v2.ts';
import { groupLinkOperations } from './domain/links/group-operations.ts';
import { linkFrames } from './domain/links/look.ts';
import { linkOperations } from './domain/links/operations.ts';
import { accessChanged, appendLiveEvents } from './domain/live/append-live-events.ts';
import { startLive } from './domain/live/streams.ts';
import { maintenanceOperations } from './domain/maintenance/operations.ts';
import { messageOperations } from './domain/messages/operations.ts';
import { trackerCommands } from './domain/messages/tracker-commands.ts';
import { heatMapOperations } from './domain/motion/heat/heat-operations.ts';
import { tripOperations } from './domain/motion/operations.ts';
import { notificationOperations } from './domain/notifications/operations.ts';
import { type ErasureParts, endErasures } from './domain/persons/erase.ts';
import { erasureParts } from './domain/persons/erasure-parts.ts';
import { personalDataHandlers } from './domain/persons/operations.ts';
import { includedSubscription } from './domain/plans/active-subscription.ts';
import { planOperations } from './domain/plans/operations.ts';
import { startCarryOver } from './domain/positions/carry-over.ts';
import { nearbyOperations } from './domain/readings/nearby.ts';
import { readingOperations } from './domain/readings/operations.ts';
import { fleetReportOperations } from './domain/reports/operations.ts';
import { savedReportOperations } from './domain/reports/saved/operations.ts';
import { reportSender } from './domain/reports/saved/send-report.ts';
import { historyForgetter } from './domain/retention/forget-history.ts';
import type { KeptHistory } from './domain/retention/kept-history.ts';
import { retentionOperations } from './domain/retention/operations.ts';
import { followSoon, startFollowing } from './domain/rules/follow-rules.ts';
import { ruleOperations } from './domain/rules/operations.ts';
import { installationLease } from './domain/schema/installation-lease.ts';
import { installationText, installationValue } from './domain/schema/installation-value.ts';
import type { Store } from './domain/schema/tables.ts';
import { forwardingOperations } from './domain/sending/forwarders/forwarder-operations.ts';
import { brokerGate } from './domain/sending/listeners/broker-gate.ts';
import { mqttCredentials } from './domain/sending/listeners/credentials.ts';
import { deliveryOperations } from './domain/sending/outbox-api/deliveries.ts';
import { destinationOperations } from './domain/sending/outbox-api/destinations.ts';
import { reconsiderHeld, sendDigests } from './domain/sending/people/digests.ts';
import { giveUpGoneBrowsers } from './domain/sending/people/gone-browsers.ts';
import { forgetGoneBrowsers, pushSubscriptionOperations } from './domain/sending/people/push-subscriptions.ts';
import { recipientOperations } from './domain/sending/people/recipients.ts';
import { queueRight } from './domain/sending/queues/queue-holders.ts';
import type { SendProof } from './domain/sending/queues/queue-proofs.ts';
import { sendGuard } from './domain/sending/send-guard.ts';
import type { SendingPolicy } from './domain/sending/sending-policy.ts';
import { figures } from './domain/service/figures.ts';
import { watchGrowth } from './domain/service/growth.ts';
import { healthOperations, type Vitals } from './domain/service/health.ts';
import { homeDevices } from './domain/service/home-devices.ts';
import { infoOperations, VERSION } from './domain/service/info.ts';
import { mapOperations, type ServerMaps, serverMaps } from './domain/service/maps/operations.ts';
import { type Drain, watchDrain } from './domain/service/nodes/drain.ts';
import { exchangeCounts } from './domain/service/nodes/exchange-counts.ts';
import { type OwnNode, startNode } from './domain/service/nodes/node.ts';
import { nodeOperations } from './domain/service/nodes/operations.ts';
import { slotClocks } from './domain/service/nodes/slot-clocks.ts';
import { type Geocoder, placeNameOperations } from './domain/service/place-names/operations.ts';
import { reachOperations } from './domain/service/reach.ts';
import { readiness } from './domain/service/readiness.ts';
import { rightsEnding } from './domain/service/rights-ending.ts';
import { fleetOperations } from './domain/tracking/api/fleet.ts';
import { historyImportOperations } from './domain/tracking/api/history-imports.ts';
import { insideOperations } from './domain/tracking/api/inside.ts';
import { points } from './domain/tracking/api/points.ts';
import { quarantineOperations } from './domain/tracking/api/quarantine.ts';
import { readingTouched } from './domain/tracking/api/reading-touched.ts';
import { timelineOperations } from './domain/tracking/api/timeline.ts';
import { trialOperations } from './domain/tracking/api/try-trigger.ts';
import { reportOperations } from './domain/tracking/api/vehicle-reports.ts';
import { whereaboutsOperations } from './domain/tracking/api/whereabouts.ts';
import { type Engine, startEngine } from './domain/tracking/engine.ts';
import { reportReceiver } from './domain/tracking/intake/receive-report.ts';
import { trackerDesk } from './domain/tracking/intake/tracker-desk.ts';
import { escalateDue } from './domain/tracking/timers/escalate.ts';
import { triggerOperations } from './domain/triggers/operations.ts';
import { accountOperations } from './domain/users/accounts.ts';
import { clashingNames } from './domain/users/clashing-names.ts';
import { makeAdminOfSettings, openSetup, setUpOperations } from './domain/users/first-admin.ts';
import { keptAnswers, recordingKeys } from './domain/users/kept-answers.ts';
import { LastUses } from './domain/users/last-uses.ts';
import { type AddressFollower, confirmationOperations } from './domain/users/mail-links/confirmations.ts';
import { eraseSentMail } from './domain/users/mail-links/erase-sent.ts';
import { invitationOperations } from './domain/users/mail-links/invitations.ts';
import type { MailDesk } from './domain/users/mail-links/mail-desk.ts';
import { passwordResetOperations } from './domain/users/mail-links/password-reset.ts';
import { ownPasswordOf } from './domain/users/own-password.ts';
import { passkeyOperations } from './domain/users/passkeys/operations.ts';
import { personalTokenOperations } from './domain/users/personal-tokens.ts';
import type { Quotas } from './domain/users/quotas.ts';
import { savedViewOperations } from './domain/users/saved-views/operations.ts';
import { secondFactorOperations } from './domain/users/second-factor/operations.ts';
import { serviceAccountOperations } from './domain/users/service-accounts/operations.ts';
import { sessionListOperations } from './domain/users/session-list.ts';
import { sessionOperations } from './domain/users/sessions.ts';
import { openSigning, type Signing } from './domain/users/signing.ts';
import { authenticator, type SessionLife } from './domain/users/tokens.ts';
import { channelsSetUp, createChannels, setupOf } from './edge/channels/channels.ts';
import { proofSender } from './edge/channels/sqs.ts';
import { isAllowed } from './edge/channels/sqs-queue.ts';
import { vapidKeys } from './edge/channels/vapid.ts';
import { createGeocoder } from './edge/geocoding/geocoder.ts';
import { isOwnTopic, SHOWN_TYPES } from './edge/home-assistant/announce.ts';
import { startHomePublisher } from './edge/home-assistant/publisher.ts';
import { closeHttpServer } from './edge/http/close.ts';
import { FailureLimit } from './edge/http/connections/failure-limit.ts';
import { OVERLAY } from './edge/http/console.ts';
import { RateLimit } from './edge/http/rate-limit.ts';
import { SecurityLog } from './edge/http/security/security-log.ts';
import { createHttpServer } from './edge/http/server.ts';
import type { OpenidRouteOptions } from './edge/http/session/openid-routes.ts';
import { DiscoveredTopics } from './edge/listeners/discovered-topics.ts';
import { fixedPortsOf } from './edge/listeners/listen-setting.ts';
import { type MqttListener, startMqttListener } from './edge/listeners/mqtt.ts';
import type { MqttDesk } from './edge/listeners/mqtt-reader.ts';
import { filtersOf, listenedTopicsOf, topicIn } from './edge/listeners/mqtt-setting.ts';
import { startTrackers, type Trackers } from './edge/listeners/trackers.ts';
import { openidProvider } from './edge/openid/provider.ts';
import { homeassistantTopics } from './edge/protocols/mqtt/homeassistant-topics.ts';
import { topicSources } from './edge/protocols/mqtt/sources.ts';
import { trackerProtocols } from './edge/protocols/trackers/trackers.ts';
import { keepHouse } from './housekeeping.ts';
import { followClock, timeNow } from './platform/clock.ts';
import { createEgress, type Egress } from './platform/egress/client.ts';
import type { Log } from './platform/log.ts';
import { type Outbox, startOutbox } from './platform/outbox/worker.ts';
import { Pace } from './platform/pace.ts';
import { repeat } from './platform/repeat.ts';
import { WritesRefused } from './platform/storage/trouble.ts';
import type { Vault } from './platform/vault.ts';
import type { Settings } from './settings.ts';
import { openStore } from './store.ts';
import { openVault } from './vault.ts';

export interface RunningApp {
  /** Where it listens. */
  readonly address: string;
  /** The port that recognises trackers; undefined where there is none, or where it was taken. */
  readonly trackersPort: number | undefined;
  /** The token of the set-up link, while there is nobody yet. */
  readonly setupToken: string | undefined;
  /** Whether the admin of the settings was made at this start. */
  readonly adminMade: boolean;
  readonly store: Store;
  stop(): Promise<void>;
}

const DRAINED = Promise.resolve({ isReady: false, reasons: ['The node is drained.'] });
const HOUR_MS = 3_600_000;
const ERASURES_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
/** Almost an hour: of several nodes one keeps house, each hour. */
const HOUSEKEEPER_MS = HOUR_MS - 60_000;
/** How often the last use of tokens is written. */
const LAST_USES_MS = 5 * 60_000;
/** How often it is written who knocked and what could not be read. */
const NOTES_MS = 10_000;
/** How many parts of a map file a user may ask for where one request of another kind is allowed. */
const TILES_PER_REQUEST = 10;
const NO_TRACKERS: ReturnType<Trackers['figures']> = { byProtocol: new Map(), refused: 0 };
/** How often the server looks for digests that are due. */
const DIGEST_MS = 2000;

/** Introduces everyone to everyone. What starts here is stopped in the reverse order, also where the start fails. */
export async function startApp(settings: Settings, log: Log): Promise<RunningApp> {
  const running = new AsyncDisposableStack();
  try {
    const { store, release } = await openStore(settings, { log });
    running.defer(release);
    running.defer(() => store.close());
    running.defer(followClock(store.now));
    const vault = await openVault(store, settings, log);

    const adminMade = await makeAdmin(store, settings);
    const setupToken = await openSetup(store, vault);
    const access = deviceAccess(store);
    const admins = { needsSecondFactor: settings.adminSecondFactor };
    await keepAdminPolicy(store, admins);
    const life = sessionLifeOf(settings);
    const uses = new LastUses();
    running.defer(() =>
      uses.write(store).catch((error) => log.error({ error }, 'The last use of tokens was not kept')),
    );
    const gate = gateOf(store, access, authenticator(store, { life, uses, admins }));
    const policy = sendingPolicyOf(settings);
    const desk = { ...mailDeskOf(settings, policy), wake: () => wakeOutbox(), seal: vault.seal };
    const shareFollowers = shareFollowersOf(store);

    const live = startLive(store, { log, admins });
    running.defer(() => live.stop());
    const egress = createEgress(settings);
    running.defer(() => egress.close());
    const pushKeys = await vapidKeys(async (name, make) => {
      const context = `settings:${name}`;
      return vault.open(await installationValue(store, name, () => vault.seal(make(), context)), context);
    });
    const channels = createChannels(settings, {
      egress,
      pushKeys,
      vault,
      queueRight: (destinationId) => queueRight(store.query, destinationId),
    });
    const proofs = proofSender(settings);
    running.defer(() => proofs.close());
    const isReady = readiness(store);
    let draining: Drain | undefined;
    const clocks = slotClocks(store, { log });
    const kept = keptHistoryOf(settings);
    const growth = watchGrowth(store, log);
    const forgetter = historyForgetter(store, { kept, log, owned: clocks });
    const vitals = {
      owned: clocks,
      lagMs: () => node.lagMs(),
      startedAt: timeNow(),
      reports: new Pace(),
      positions: new Pace(),
      streams: () => live.count(),
      carrying: () => carryOver.progress(),
      forgetting: () => forgetter.progress(),
      growth: () => growth.growth(),
      clockOffsetMs: () => engine.clockOffsetMs(),
      clockDoubtS: () => Math.round(Math.abs(engine.clockOffsetMs() ?? 0) / 1000),
      ready: () => (draining?.isDraining() ? DRAINED : isReady()),
    };

    let outbox: Outbox | undefined;
    let trackers: Trackers | undefined;
    const wakeOutbox = () => outbox?.wake();
    // After the engine, which must have decided the last by then.
    running.defer(() => clocks.stop());
    const engine = await startEngine(store, {
      owned: clocks,
      policy,
      windowMs: settings.lateWindow * DAY_MS,
      packAfterMs: settings.packAfter > 0 ? settings.packAfter * DAY_MS : undefined,
      kept,
      log,
      committed({ points, isOutgoing }) {
        vitals.positions.note(points, timeNow());
        live.wake();
        if (isOutgoing) wakeOutbox();
      },
      corrected() {
        live.wake();
        wakeOutbox();
      },
    });
    running.defer(() => engine.stop());
    const carryOver = startCarryOver(store, log);
    running.defer(() => carryOver.stop());

    outbox = await startOutbox(store, channels, {
      log,
      vault,
      guard: sendGuard,
      async switchedOff() {
        await forgetGoneBrowsers(store);
        await giveUpGoneBrowsers(store, timeNow());
      },
    });
    running.defer(() => outbox?.stop());

    const housekeeper = installationLease(store, 'housekeeper', HOUSEKEEPER_MS);
    running.defer(() => housekeeper.release().catch(() => {}));
    let address = '';
    let broker: MqttListener | undefined;
    const node = await startNode(store, {
      name: settings.nodeName || hostname(),
      address: () => address,
      log,
      figures: () => ({
        reportsPerMinute: vitals.reports.perMinute(timeNow()),
        positionsPerMinute: vitals.positions.perMinute(timeNow()),
        streams: live.count(),
        memoryBytes: process.memoryUsage.rss(),
      }),
      owns: () => ({
        destinations: outbox?.serving ?? 0,
        replays: engine.replaying(),
        housekeeping: housekeeper.isHeld(timeNow()) ? 1 : 0,
        broker: broker?.isSubscribed() ? 1 : 0,
      }),
      // As if an operator had stopped it: started again, it says why it can't go on.
      outdated: () => process.kill(process.pid, 'SIGTERM'),
    });
    running.defer(() => node.stop());
    draining = watchDrain(store, node.id, { log, stop: () => process.kill(process.pid, 'SIGTERM') });
    running.defer(() => draining?.stop());
    await clocks.start(node.id);

    const erasure = erasureParts(store, vault);
    const notes = new TrackerNotes();
    const commands = trackerCommands(store);
    running.defer(() => notes.write(store).catch((error) => log.error({ error }, 'Notes on trackers were not kept')));
    const pushKey = pushKeys.publicKey;
    const signing = signingOf(store, settings, { admins, vault, shareFollowers });
    const reception = counted(sparing(reportReceiver(store, engine.intake, vault), store), vitals.reports);
    const limits = limitsOf(settings);
    const exchange = exchangeCounts(store, exchangedOf(limits), { log, nodes: node.count });
    running.defer(() => exchange.stop());
    const reports = reportSender(store, policy);
    const maps = serverMaps(store, settings);
    const geocoder = geocoderOf(settings, egress, log);
    running.defer(() => geocoder?.close());
    const server = createHttpServer({
      desk: {
        handlers: handlersOf({
          erasure,
          store: recordingKeys(store),
          settings,
          engine,
          access,
          egress,
          wakeOutbox,
          pushKey,
          vitals,
          node,
          life,
          uses,
          signing,
          vault,
          sendProof: proofs.send,
          policy,
          desk,
          shareFollowers,
          notes,
          maps,
          reports,
          geocoder,
          address: () => address,
          messageQueued: (deviceId) => trackers?.wake(deviceId),
          trackersPort: () => trackers?.port,
          follow: () => followSoon(store, timeNow()),
        }),
        gate,
        limit: limits.requests,
        guarded: limits.guarded,
        security: new SecurityLog(log),
        answers: keptAnswers(store),
      },
      live,
      broker: { gate: brokerGate(store, settings.mqttUrl), secret: settings.mqttHookSecret },
      session: { sessions: signing.sessions, publicUrl: settings.publicUrl },
      ...(settings.openidIssuer !== '' && { openid: openidOf(settings, signing, log) }),
      operators: {
        gate,
        ready: vitals.ready,
        nodeName: settings.nodeName,
        metricsToken: settings.metricsToken,
        isProxied: settings.trustProxy !== '' || settings.publicUrl !== '',
        figures: figures(store, {
          ...vitals,
          node,
          intakeWaiting: () => engine.intake.waiting,
          trackers() {
            const { byProtocol, refused } = trackers?.figures() ?? NO_TRACKERS;
            return { connections: byProtocol, refused, undecoded: notes.undecodedBy };
          },
        }),
      },
      ingest: {
        reception,
        bodyLimit: settings.ingestBodyLimit,
        maxItems: settings.ingestMaxItems,
        limit: limits.reports,
        failures: limits.failures,
      },
      networks: { devices: ownDevices(store), notes, egress },
      console: { mapAddresses: maps.addresses, mapOverlay: settings.mapOverlay, linkFrames: linkFrames(store) },
      mapFiles: { folder: settings.data, limit: new RateLimit(settings.rateLimit * TILES_PER_REQUEST) },
      log,
      bodyLimit: settings.bodyLimit,
      trustProxy: settings.trustProxy,
      connectionLimit: settings.connectionLimit,
      isSecure: settings.publicUrl.startsWith('https:'),
      unknown: limits.unknown,
      securityContact: settings.securityContact,
    });
    running.defer(async () => {
      // A server closes once its answers are complete, and a live stream is complete only when it is ended. What is being
      // sent has the same time to end: one after the other would take longer than an orchestrator waits.
      await live.stop();
      await Promise.all([closeHttpServer(server), outbox?.stop(), trackers?.stop()]);
    });
    store.condition.enforce();
    await server.listen({ host: settings.host, port: settings.port });
    address = addressOf(settings.host, server.server.address() as AddressInfo);
    const counter = heedful(trackerDesk(store, engine.intake, notes, commands, log), store, vitals);
    trackers = await listenToTrackers(settings, counter, limits, log);
    const { deviceOfIdentifier, secretOf } = reception;
    broker = await listenToBroker(settings, store, { ...counter, deviceOfIdentifier, secretOf }, log);
    running.defer(() => broker?.stop());
    const home = await showAtHome(settings, store, log);
    running.defer(() => home?.stop());

    await claimWaitingGrants(store, shareFollowers, timeNow());
    await claimWaitingGroupGrants(store, shareFollowers, timeNow());
    await claimWaitingListGrants(store, timeNow());
    const clashing = await clashingNames(store);
    if (clashing.length > 0)
      log.warn(
        { usernames: clashing },
        'Some usernames differ from those of other users by upper and lower case only: give them other names',
      );
    const housekeeping = repeat(HOUR_MS, log, 'housekeeping', async () => {
      if (!(await housekeeper.hold(timeNow()))) return;
      await growth.note(timeNow());
      await keepHouse(store, { ...settings, kept }, shareFollowers, log);
    });
    running.defer(() => housekeeping.stop());
    let isStopping = false;
    running.defer(() => {
      isStopping = true;
    });
    const forgetting = repeat(HOUR_MS, log, 'retention', () => forgetter.run(timeNow(), () => !isStopping));
    running.defer(() => forgetting.stop());
    const erasing = repeat(ERASURES_MS, log, 'erasures', async () => {
      if (housekeeper.isHeld(timeNow())) await endErasures(erasure, timeNow());
    });
    running.defer(() => erasing.stop());
    const lastUses = repeat(LAST_USES_MS, log, 'last use of tokens', () => uses.write(store));
    running.defer(() => lastUses.stop());
    const noting = repeat(NOTES_MS, log, 'notes on trackers', async () => {
      await notes.write(store);
      await commands.expire(timeNow());
    });
    running.defer(() => noting.stop());
    const following = startFollowing(store, log, timeNow);
    running.defer(() => following.stop());
    const digests = repeat(DIGEST_MS, log, 'digests', async () => {
      if (await sendDigests(store, policy, timeNow(), clocks)) wakeOutbox();
      if (await reports.sendDue(timeNow(), clocks)) wakeOutbox();
      if (await escalateDue(store, policy, timeNow())) {
        wakeOutbox();
        live.wake();
      }
      // What is about no device has the slot 0.
      if (clocks.has(0)) await eraseSentMail(store);
    });
    running.defer(() => digests.stop());

    return {
      address,
      trackersPort: trackers.port,
      setupToken,
      adminMade,
      store,
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

const keptHistoryOf = (settings: Settings): KeptHistory => ({
  positions: settings.keepPositions,
  readings: settings.keepReadings,
  trips: settings.keepTrips,
  notifications: settings.keepNotifications,
  checkpoints: settings.keepCheckpoints,
  thinAfter: settings.thinAfter,
  windowMs: settings.lateWindow * DAY_MS,
});

/** Whether the admin of the settings was made at this start. */
async function makeAdmin(store: Store, { adminEmail, adminPassword }: Settings): Promise<boolean> {
  if (adminEmail === '' || adminPassword === '') return false;
  return makeAdminOfSettings(store, adminEmail, adminPassword, timeNow());
}

/** The same, but refuses reports while the disk is full: what space is left is for people who make room. */
const sparing = (receiver: ReportReceiver, { condition }: Store): ReportReceiver => ({
  ...receiver,
  async receive(...report) {
    if (condition.has('full')) throw new WritesRefused('full', 'The disk is full.');
    return receiver.receive(...report);
  },
});

/** The same, and counts the reports that were received. */
const counted = (receiver: ReportReceiver, reports: Pace): ReportReceiver => ({
  ...receiver,
  async receive(identity, report, confirmation, now) {
    const received = await receiver.receive(identity, report, confirmation, now);
    if (received) reports.note(1, now);
    return received;
  },
});

/** Refuses reports of trackers while the disk is full, and counts those that were received. */
const heedful = (desk: TrackerDesk, { condition }: Store, { reports }: Pick<Vitals, 'reports'>): TrackerDesk => ({
  ...desk,
  async receive(tracker, report, now) {
    if (condition.has('full')) throw new WritesRefused('full', 'The disk is full.');
    const receipt = await desk.receive(tracker, report, now);
    if (receipt.outcome === 'stored') reports.note(1, now);
    return receipt;
  },
});

/** What is counted per minute; those of requests and reports hold for all nodes together. */
const limitsOf = (settings: Settings) => ({
  requests: new RateLimit(settings.rateLimit),
  guarded: new RateLimit(settings.loginRateLimit),
  reports: new RateLimit(settings.ingestRateLimit),
  failures: new FailureLimit(settings.failureLimit),
  unknown: new FailureLimit(settings.failureLimit),
  trackers: new RateLimit(settings.ingestRateLimit),
  trackerFailures: new FailureLimit(settings.failureLimit),
});
type Limits = ReturnType<typeof limitsOf>;

const exchangedOf = ({ requests, guarded, reports, failures, unknown, trackers, trackerFailures }: Limits) => ({
  requests,
  guarded,
  reports,
  failures: failures.counts,
  unknown: unknown.counts,
  trackers,
  trackerFailures: trackerFailures.counts,
});

const listenToTrackers = (settings: Settings, desk: TrackerDesk, limits: Limits, log: Log): Promise<Trackers> =>
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

/** Addresses of positions, where the operator has a geocoder. */
function geocoderOf(settings: Settings, egress: Egress, log: Log) {
  const { geocoderUrl: url, geocoderKind: kind, geocoderRate: perSecond, geocoderCredit: attribution } = settings;
  if (url === '') return undefined;
  return createGeocoder({ url, kind, perSecond, attribution, egress, log, agent: `Trackway/${VERSION}` });
}

/** How long another server waits for one that died before it listens to the broker instead. */
const LISTENER_MS = 20_000;

async function listenToBroker(settings: Settings, store: Store, desk: MqttDesk, log: Log) {
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

function gateOf(store: Store, access: DeviceAccess, authenticate: Gate['authenticate']): Gate {
  const user = store.prepare('users.exists', 'SELECT "id" FROM "users" WHERE "id" = ?');
  const named = deviceIdentifiers(store, access);
  return {
    authenticate,
    rightOn: access.rightOn,
    deviceNamed: async (caller, identifier) => (await named(caller, identifier))?.deviceId,
    userExists: async (userId) => (await user.get(userId)) !== undefined,
  };
}

interface SigningParts {
  readonly admins: AdminPolicy;
  readonly vault: Vault;
  readonly shareFollowers: ShareFollowers;
}

/** Shares that wait for an address take effect once it is confirmed. */
const grantsClaimer =
  (followers: ShareFollowers): AddressFollower =>
  async (tx, user, now) => {
    await claimGrants(tx, followers, user, now);
    await claimGroupGrants(tx, followers, user, now);
    await claimListGrants(tx, user, now);
  };

function signingOf(store: Store, settings: Settings, { admins, vault, shareFollowers }: SigningParts): Signing {
  const { publicUrl, tabToken, openidDomains, openidCreateUsers, openidPasswords } = settings;
  const domains = openidDomains
    .toLowerCase()
    .split(',')
    .map((domain) => domain.trim())
    .filter(Boolean);
  const addressConfirmed = grantsClaimer(shareFollowers);
  const openid = { domains, createsUsers: openidCreateUsers, passwords: openidPasswords, addressConfirmed };
  return openSigning(store, { vault, publicUrl, tabTokenS: tabToken, admins, openid });
}

function openidOf(settings: Settings, { sessions, vault }: Signing, log: Log): OpenidRouteOptions {
  const { openidIssuer: issuer, openidClientId: clientId, openidClientSecret: clientSecret, publicUrl } = settings;
  return { provider: openidProvider({ issuer, clientId, clientSecret }), sessions, vault, publicUrl, log };
}

const sessionLifeOf = ({ sessionIdle, sessionLife, tokenIdle }: Settings): SessionLife => ({
  idleMs: sessionIdle * DAY_MS,
  mostMs: sessionLife * DAY_MS,
  tokenIdleMs: tokenIdle * DAY_MS,
});

/** Where nobody set a public address, links lead to this machine, as far as its address is known. */
function sendingPolicyOf(settings: Settings): SendingPolicy {
  const { publicUrl, host, port, oldNews, mailLimit: toOthersPerDay } = settings;
  const known = publicUrl || (port === 0 ? '' : addressOf(host, { port }));
  const canAsk = known !== '' && channelsSetUp(settings).email!;
  return { publicUrl: known, oldNewsMs: oldNews * 1000, mail: { canAsk, toOthersPerDay } };
}

function mailDeskOf(settings: Settings, { publicUrl }: SendingPolicy): Omit<MailDesk, 'wake' | 'seal'> {
  const noAddress = publicUrl === '' ? 'Links have nowhere to lead: set TRACKWAY_PUBLIC_URL.' : undefined;
  return { missing: setupOf(settings).email.missing ?? noAddress, publicUrl };
}

/** What else changes when a device starts or stops being shared with a user. */
function shareFollowersOf(store: Store): ShareFollowers {
  // The last of what follows: live events are appended as the transaction ends.
  const appendAccess: ShareFollower = (tx, deviceId, userId, now) =>
    appendLiveEvents(tx, store.storeKind, [accessChanged(deviceId, userId)], now);
  const rightsEnded = rightsEnding(store.storeKind);
  const endRights: ShareFollower = (tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now);
  return {
    began: [rulesChanged, appendAccess],
    ended: [endRights, appendAccess],
    async many(tx, deviceIds, userId, now) {
      for (const deviceId of [...deviceIds].sort((a, b) => a - b)) await rulesChanged(tx, deviceId);
      await rightsEnded(tx, { userId }, now);
    },
  };
}

/** What the handlers are made of. */
interface Parts {
  readonly store: Store;
  readonly settings: Settings;
  readonly engine: Engine;
  readonly access: DeviceAccess;
  readonly egress: Egress;
  readonly wakeOutbox: () => void;
  readonly pushKey: string;
  readonly vitals: Vitals;
  readonly node: OwnNode;
  readonly signing: Signing;
  readonly sendProof: SendProof;
  readonly life: SessionLife;
  readonly uses: LastUses;
  readonly policy: SendingPolicy;
  readonly desk: MailDesk;
  readonly shareFollowers: ShareFollowers;
  readonly vault: Vault;
  readonly erasure: ErasureParts;
  readonly notes: TrackerNotes;
  readonly reports: ReturnType<typeof reportSender>;
  readonly maps: ServerMaps;
  readonly geocoder: Geocoder | undefined;
  /** Where the server listens, once it does. */
  readonly address: () => string;
  /** Tells that a message waits for a device. */
  readonly messageQueued: (deviceId: number) => void;
  /** Where trackers are recognised, once the server listens. */
  readonly trackersPort: () => number | undefined;
  /** Lets triggers follow what was changed of rules and groups, as far as that is quickly done. */
  readonly follow: () => Promise<void>;
}

/** One line for each family of operations; the compiler asks for what the contract has and this list lacks. */
function handlersOf(parts: Parts): Handlers {
  const { store, settings, engine, access, egress, wakeOutbox, pushKey, vitals, life, uses, sendProof, vault } = parts;
  const { policy, desk, shareFollowers, signing } = parts;
  const { checkTarget } = egress;
  const configs = deviceConfigs(store);
  const named = deviceIdentifiers(store, access);
  const positions = points(store, engine);
  const rightsEnded = rightsEnding(store.storeKind);
  const addressConfirmed = grantsClaimer(shareFollowers);
  const sharing = { desk, newAddressesPerDay: settings.shareLimit, isInviting: settings.invitedSignUp };
  const quotas = quotasOf(settings);
  const mapOverlay = settings.mapOverlay && OVERLAY;
  const openidButton = settings.openidIssuer && settings.openidButton;
  const { trackersPort, follow } = parts;
  const mapStyle = async () => (await parts.maps.current()).style;
  const channels = channelsSetUp(settings);
  const info = { ...settings, trackersPort, openidButton, mapStyle, mapOverlay, pushKey, channels };
  const tokenParts = { ownPassword: ownPasswordOf(store), uses, quotas };
  return {
    ...sessionOperations(store, life, signing.check),
    ...sessionListOperations(store, uses),
    ...accountOperations(store, { hoursChanged: reconsiderHeld, rightsEnded, addressConfirmed }, desk),
    ...confirmationOperations(store, desk, addressConfirmed),
    ...passwordResetOperations(store, desk),
    ...invitationOperations(store, desk, addressConfirmed),
    ...recipientOperations(store),
    ...personalTokenOperations(store, tokenParts),
    ...secondFactorOperations(store, { ...signing, desk }),
    ...passkeyOperations(store, { prove: signing.prove, publicUrl: settings.publicUrl }),
    ...serviceAccountOperations(store, tokenParts),
    ...setUpOperations(store),
    ...personalDataHandlers(parts.erasure, tokenParts.ownPassword),
    ...deviceOperations(
      store,
      { config: configs.included, points: positions.included, subscription: includedSubscription(store) },
      vault,
      rightsEnded,
      quotas,
    ),
    ...metaAndTagOperations(store, access),
    ...shareOperations(store, shareFollowers, sharing, quotas),
    ...deviceGroupOperations(store, { followers: shareFollowers, policy: sharing, follow }),
    ...configs.operations,
    ...firmwareOperations(store),
    ...readingOperations(store, access, readingTouched(store.storeKind), engine.judgeAgain),
    ...positions.operations,
    ...historyImportOperations(store, engine),
    ...tripOperations(store, access),
    ...reportOperations(store, access),
    ...fleetReportOperations(store),
    ...timelineOperations(store, engine.intake),
    ...triggerOperations(store, access, checkTarget, policy, quotas),
    ...ruleOperations(store, { access, checkTarget, policy, follow }),
    ...trialOperations(store),
    ...notificationOperations(store),
    ...deliveryOperations(store, wakeOutbox),
    ...destinationOperations(store, wakeOutbox, vault),
    ...messageOperations(store, parts.messageQueued),
    ...transientOperations(store),
    ...rtkOperations(store, vault),
    ...geofenceOperations(store, access, engine.fenceShaped, quotas),
    ...geofenceV2Operations(store, access, engine.fenceShaped, quotas),
    ...geofenceListOperations(store, sharing, quotas),
    ...insideOperations(store),
    ...fleetOperations(store),
    ...devicePages(store),
    ...nearbyOperations(store),
    ...forwardingOperations(store, {
      checkTarget,
      changed: rulesChanged,
      vault,
      missing: (kind) => setupOf(settings)[kind].missing,
      isAllowedQueue: (arn) => isAllowed(arn, settings.sqsAllow),
      sendProof,
    }),
    ...mqttCredentials(store, { missing: setupOf(settings).mqtt.missing, url: brokerAddressOf(settings) }),
    ...pushSubscriptionOperations(store, checkTarget, vault),
    ...linkOperations(store, settings.publicUrl),
    ...groupLinkOperations(store, settings.publicUrl),
    ...savedViewOperations(store),
    ...savedReportOperations(store, parts.reports, wakeOutbox),
    ...maintenanceOperations(store),
    ...driverOperations(store),
    ...heatMapOperations(store),
    ...devicePlanOperations(store, named),
    ...claimOperations({ store, followers: shareFollowers, rightsEnded, quotas }),
    ...planOperations(store, {
      usersMayBuy: settings.planPurchase,
      isSeen: async (caller, identifier) => (await named(caller, identifier)) !== undefined,
    }),
    ...whereaboutsOperations(store),
    ...auditOperations(store),
    ...quarantineOperations(store, engine),
    ...trackerOperations(store, parts.notes),
    ...infoOperations(store, info),
    ...healthOperations(store, vitals, parts.node.name),
    ...nodeOperations(store, parts.node, vitals.owned),
    ...retentionOperations(store, keptHistoryOf(settings)),
    ...mapOperations(store, parts.maps),
    ...reachOperations({ publicUrl: settings.publicUrl, host: settings.host, address: parts.address }),
    ...placeNameOperations(store, parts.geocoder),
  };
}

/** Where programs reach the broker: without the account of the server. */
function brokerAddressOf({ mqttUrl, mqttPublicUrl }: Settings): string {
  if (mqttPublicUrl !== '' || mqttUrl === '') return mqttPublicUrl;
  const { protocol, host, pathname } = new URL(mqttUrl);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

const quotasOf = (settings: Settings): Quotas => ({
  devices: settings.quotaDevices,
  triggers: settings.quotaTriggers,
  deviceTriggers: settings.quotaDeviceTriggers,
  geofences: settings.quotaGeofences,
  tokens: settings.quotaTokens,
  shares: settings.quotaShares,
  geofenceLists: MOST_LISTS,
  listMembers: MOST_LIST_MEMBERS,
});

/** No settings of their own: far more than anybody needs. */
const MOST_LISTS = 1000;
const MOST_LIST_MEMBERS = 1000;

function addressOf(host: string, { port }: Pick<AddressInfo, 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
