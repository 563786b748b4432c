import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { startChores } from './app/chores.ts';
import {
  addressOf,
  geocoderOf,
  keptHistoryOf,
  mailDeskOf,
  sendingPolicyOf,
  sessionLifeOf,
} from './app/from-settings.ts';
import { handlersOf } from './app/handlers.ts';
import { exchangedOf, limitsOf } from './app/limits.ts';
import { listenToBroker, listenToTrackers, showAtHome } from './app/listening.ts';
import { counted, heedful, sparing } from './app/receiving.ts';
import { shareFollowersOf } from './app/sharing.ts';
import { gateOf, makeAdmin, openidOf, signingOf } from './app/signing-in.ts';
import { keepAdminPolicy } from './domain/admin-rights.ts';
import { deviceAccess } from './domain/devices/access.ts';
import { claimWaitingGrants } from './domain/devices/grants.ts';
import { claimWaitingGroupGrants } from './domain/devices/groups/waiting-grants.ts';
import { ownDevices } from './domain/devices/trackers/own-devices.ts';
import { TrackerNotes } from './domain/devices/trackers/tracker-notes.ts';
import { claimWaitingListGrants } from './domain/geofences/lists/waiting-grants.ts';
import { linkFrames } from './domain/links/look.ts';
import { startLive } from './domain/live/streams.ts';
import { trackerCommands } from './domain/messages/tracker-commands.ts';
import { erasureParts } from './domain/persons/erasure-parts.ts';
import { startCarryOver } from './domain/positions/carry-over.ts';
import { reportSender } from './domain/reports/saved/send-report.ts';
import { historyForgetter } from './domain/retention/forget-history.ts';
import { followSoon } from './domain/rules/follow-rules.ts';
import { installationLease } from './domain/schema/installation-lease.ts';
import { installationValue } from './domain/schema/installation-value.ts';
import type { Store } from './domain/schema/tables.ts';
import { brokerGate } from './domain/sending/listeners/broker-gate.ts';
import { startCarrier } from './domain/sending/outgoing/carrier.ts';
import { giveUpGoneBrowsers } from './domain/sending/people/gone-browsers.ts';
import { forgetGoneBrowsers } from './domain/sending/people/push-subscriptions.ts';
import { queueRight } from './domain/sending/queues/queue-holders.ts';
import { sendGuard } from './domain/sending/send-guard.ts';
import { figures } from './domain/service/figures.ts';
import { watchGrowth } from './domain/service/growth.ts';
import { serverMaps } from './domain/service/maps/operations.ts';
import { type Drain, watchDrain } from './domain/service/nodes/drain.ts';
import { exchangeCounts } from './domain/service/nodes/exchange-counts.ts';
import { startNode } from './domain/service/nodes/node.ts';
import { slotClocks } from './domain/service/nodes/slot-clocks.ts';
import { readiness } from './domain/service/readiness.ts';
import { startEngine } from './domain/tracking/engine.ts';
import { reportReceiver } from './domain/tracking/intake/receive-report.ts';
import { trackerDesk } from './domain/tracking/intake/tracker-desk.ts';
import { clashingNames } from './domain/users/clashing-names.ts';
import { openSetup } from './domain/users/first-admin.ts';
import { keptAnswers, recordingKeys } from './domain/users/kept-answers.ts';
import { LastUses } from './domain/users/last-uses.ts';
import { authenticator } from './domain/users/tokens.ts';
import { createChannels } from './edge/channels/channels.ts';
import { proofSender } from './edge/channels/sqs.ts';
import { vapidKeys } from './edge/channels/vapid.ts';
import { closeHttpServer } from './edge/http/close.ts';
import { RateLimit } from './edge/http/rate-limit.ts';
import { SecurityLog } from './edge/http/security/security-log.ts';
import { createHttpServer } from './edge/http/server.ts';
import type { MqttListener } from './edge/listeners/mqtt.ts';
import type { Trackers } from './edge/listeners/trackers.ts';
import { followClock, timeNow } from './platform/clock.ts';
import { createEgress } from './platform/egress/client.ts';
import type { Log } from './platform/log.ts';
import { type Outbox, startOutbox } from './platform/outbox/worker.ts';
import { Pace } from './platform/pace.ts';
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
const DAY_MS = 24 * HOUR_MS;
/** Almost an hour: of several nodes one keeps house, each hour. */
const HOUSEKEEPER_MS = HOUR_MS - 60_000;
/** How many parts of a map file a user may ask for where one request of another kind is allowed. */
const TILES_PER_REQUEST = 10;
const NO_TRACKERS: ReturnType<Trackers['figures']> = { byProtocol: new Map(), refused: 0 };

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
    const carrier = startCarrier(store, { log, owned: clocks, carried: () => wakeOutbox() });
    running.defer(() => carrier.stop());
    const engine = await startEngine(store, {
      owned: clocks,
      policy,
      windowMs: settings.lateWindow * DAY_MS,
      packAfterMs: settings.packAfter > 0 ? settings.packAfter * DAY_MS : undefined,
      kept,
      log,
      committed({ points, outgoing }) {
        vitals.positions.note(points, timeNow());
        live.wake();
        if (outgoing.length > 0) carrier.wake(outgoing);
      },
      corrected({ deviceId }) {
        live.wake();
        carrier.wake([deviceId]);
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
      mapFiles: {
        folder: settings.data,
        limit: new RateLimit(settings.rateLimit * TILES_PER_REQUEST),
        openFile: maps.openFile,
      },
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
    await node.beat();
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
    const chores = startChores({
      store,
      settings,
      policy,
      clocks,
      housekeeper,
      erasure,
      uses,
      notes,
      commands,
      reports,
      shareFollowers,
      forgetter,
      growth,
      log,
      wakeOutbox,
      wakeLive: () => live.wake(),
    });
    running.defer(() => chores.stop());

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
