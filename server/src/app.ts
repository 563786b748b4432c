import type { AddressInfo } from 'node:net';
import type { Gate, Handlers, ReportReceiver } from './calls.ts';
import { deviceConfigs } from './domain/device-config/operations.ts';
import { type DeviceAccess, deviceAccess } from './domain/devices/access.ts';
import { deviceOperations } from './domain/devices/operations.ts';
import { purgeDevices } from './domain/devices/purge.ts';
import { type ShareFollower, shareOperations } from './domain/devices/shares.ts';
import { geofenceOperations } from './domain/geofences/operations.ts';
import { accessChanged, appendLiveEvents } from './domain/live/append-live-events.ts';
import { forgetLiveEvents } from './domain/live/forget.ts';
import { startLive } from './domain/live/streams.ts';
import { messageOperations } from './domain/messages/operations.ts';
import { tripOperations } from './domain/motion/operations.ts';
import { giveUpGoneBrowsers } from './domain/notifications/gone.ts';
import { notificationOperations } from './domain/notifications/operations.ts';
import { planOperations } from './domain/plans/operations.ts';
import { readingOperations } from './domain/readings/operations.ts';
import { installationValue } from './domain/schema/installation-value.ts';
import type { Store } from './domain/schema/tables.ts';
import { endForwardersOf, forwardingOperations } from './domain/sending/forwarders/forwarder-operations.ts';
import { deliveryOperations } from './domain/sending/outbox-api/deliveries.ts';
import { destinationOperations } from './domain/sending/outbox-api/destinations.ts';
import { reconsiderHeld, sendDigests } from './domain/sending/people/digests.ts';
import { forgetGoneBrowsers, pushSubscriptionOperations } from './domain/sending/people/push-subscriptions.ts';
import type { SendingPolicy } from './domain/sending/sending-policy.ts';
import { healthOperations, type Vitals } from './domain/service/health.ts';
import { infoOperations } from './domain/service/info.ts';
import { insideOperations } from './domain/tracking/api/inside.ts';
import { points } from './domain/tracking/api/points.ts';
import { trialOperations } from './domain/tracking/api/try-trigger.ts';
import { whereaboutsOperations } from './domain/tracking/api/whereabouts.ts';
import { type Engine, startEngine } from './domain/tracking/engine.ts';
import { reportReceiver } from './domain/tracking/intake/receive-report.ts';
import { markLate } from './domain/tracking/replay/mark-late.ts';
import { endTriggersOf, triggerOperations } from './domain/triggers/operations.ts';
import { rulesChanged } from './domain/triggers/versions.ts';
import { accountOperations } from './domain/users/accounts.ts';
import { makeAdminOfSettings, openSetup, setUpOperations } from './domain/users/first-admin.ts';
import { sessionOperations } from './domain/users/sessions.ts';
import { authenticator, forgetOldTokens } from './domain/users/tokens.ts';
import { channelsSetUp, createChannels, missingSetup } from './edge/channels/channels.ts';
import { vapidKeys } from './edge/channels/vapid.ts';
import { closeHttpServer } from './edge/http/close.ts';
import { OVERLAY } from './edge/http/console.ts';
import { RateLimit } from './edge/http/rate-limit.ts';
import { createHttpServer } from './edge/http/server.ts';
import { createEgress, type Egress } from './platform/egress/client.ts';
import type { Log } from './platform/log.ts';
import { forgetOldDeliveries } from './platform/outbox/retention.ts';
import { type Outbox, startOutbox } from './platform/outbox/worker.ts';
import { Pace } from './platform/pace.ts';
import { repeat } from './platform/repeat.ts';
import type { Settings } from './settings.ts';
import { openStore } from './store.ts';

export interface RunningApp {
  /** Where it listens. */
  readonly address: string;
  /** The token of the set-up link, while there is nobody yet. */
  readonly setupToken: string | undefined;
  /** Whether the admin of the settings was made at this start. */
  readonly adminMade: boolean;
  readonly store: Store;
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How often it is looked whether something that was held back for a person is due. */
const DIGEST_MS = 2000;

/** Introduces everyone to everyone. What starts here stops in `stop`, in the reverse order. */
export async function startApp(settings: Settings, log: Log): Promise<RunningApp> {
  const { store, release } = await openStore(settings);
  try {
    const { adminEmail, adminPassword } = settings;
    const adminMade =
      adminEmail !== '' &&
      adminPassword !== '' &&
      (await makeAdminOfSettings(store, adminEmail, adminPassword, Date.now()));
    const setupToken = await openSetup(store);
    const access = deviceAccess(store);
    const gate = gateOf(store, access);
    const live = startLive(store, { log });
    const policy = houseOf(settings);
    const egress = createEgress(settings);
    const pushKeys = await vapidKeys((name, make) => installationValue(store, name, make));
    const channels = createChannels({ ...settings, egress, pushKeys });
    let outbox: Outbox | undefined;
    const wakeOutbox = () => outbox?.wake();
    const wake = () => {
      live.wake();
      wakeOutbox();
    };
    const vitals = {
      startedAt: Date.now(),
      reports: new Pace(),
      positions: new Pace(),
      streams: () => live.count(),
    };
    const engine = await startEngine(store, {
      policy,
      windowMs: settings.lateWindow * DAY_MS,
      log,
      committed({ points, isOutgoing }) {
        vitals.positions.note(points, Date.now());
        live.wake();
        if (isOutgoing) wakeOutbox();
      },
      corrected: wake,
    });
    outbox = await startOutbox(store, channels, {
      log,
      async switchedOff() {
        await forgetGoneBrowsers(store);
        await giveUpGoneBrowsers(store, Date.now());
      },
    });
    const server = createHttpServer({
      desk: {
        handlers: handlersOf(store, settings, engine, access, egress, wakeOutbox, pushKeys.publicKey, vitals),
        gate,
        limit: new RateLimit(settings.rateLimit),
        guarded: new RateLimit(settings.loginRateLimit),
      },
      live,
      operators: { gate, ready: () => store.ping() },
      ingest: {
        reception: counted(reportReceiver(store, engine.ingest), vitals.reports),
        bodyLimit: settings.ingestBodyLimit,
        maxItems: settings.ingestMaxItems,
        limit: new RateLimit(settings.ingestRateLimit),
      },
      console: { mapStyle: settings.mapStyle, mapHosts: settings.mapHosts, mapOverlay: settings.mapOverlay },
      log,
      bodyLimit: settings.bodyLimit,
      trustProxy: settings.trustProxy,
    });
    await server.listen({ host: settings.host, port: settings.port });
    const housekeeping = repeat(HOUR_MS, log, 'housekeeping', async () => {
      await forgetOldTokens(store, Date.now());
      await purgeDevices(store, Date.now());
      await forgetLiveEvents(store, Date.now());
      await forgetGoneBrowsers(store);
      await forgetOldDeliveries(store, Date.now());
    });
    const digests = repeat(DIGEST_MS, log, 'digests', async () => {
      if (await sendDigests(store, policy, Date.now())) wakeOutbox();
    });
    return {
      address: addressOf(settings.host, server.server.address() as AddressInfo),
      setupToken,
      adminMade,
      store,
      async stop() {
        await digests.stop();
        await housekeeping.stop();
        await live.stop();
        await closeHttpServer(server);
        await outbox.stop();
        await engine.stop();
        egress.close();
        await store.close();
        release();
      },
    };
  } catch (error) {
    await store.close();
    release();
    throw error;
  }
}

/** The same, and counts the reports that were taken. */
const counted = (taker: ReportReceiver, reports: Pace): ReportReceiver => ({
  ...taker,
  async receive(speaker, report, confirmation, now) {
    const received = await taker.receive(speaker, report, confirmation, now);
    if (received) reports.note(1, now);
    return received;
  },
});

function gateOf(store: Store, access: DeviceAccess): Gate {
  const user = store.prepare('users.exists', 'SELECT "id" FROM "users" WHERE "id" = ?');
  return {
    authenticate: authenticator(store),
    rightOn: access.rightOn,
    userExists: async (userId) => (await user.get(userId)) !== undefined,
  };
}

/** The address people are told where nobody set one: that of this machine, as far as it is known. */
function houseOf({ publicUrl, host, port, oldNews }: Settings): SendingPolicy {
  const known = publicUrl || (port === 0 ? '' : addressOf(host, { port }));
  return { publicUrl: known, oldNewsMs: oldNews * 1000 };
}

function handlersOf(
  store: Store,
  settings: Settings,
  engine: Engine,
  access: DeviceAccess,
  { checkTarget }: Egress,
  wakeOutbox: () => void,
  pushKey: string,
  vitals: Vitals,
): Handlers {
  const configs = deviceConfigs(store);
  const positions = points(store, engine);
  // The last that follows: what is told is told as the transaction ends.
  const tellAccess: ShareFollower = (tx, deviceId, userId, now) =>
    appendLiveEvents(tx, store.storeKind, [accessChanged(deviceId, userId)], now);
  return {
    ...sessionOperations(store),
    ...accountOperations(store, { hoursChanged: reconsiderHeld }),
    ...setUpOperations(store),
    ...deviceOperations(store, { config: configs.included, points: positions.included }),
    ...shareOperations(store, {
      began: [rulesChanged, tellAccess],
      ended: [endTriggersOf, endForwardersOf, rulesChanged, tellAccess],
    }),
    ...configs.operations,
    ...readingOperations(store, access, markLate, engine.judgeAgain),
    ...positions.operations,
    ...tripOperations(store),
    ...triggerOperations(store, access, checkTarget),
    ...whereaboutsOperations(store),
    ...infoOperations({
      ...settings,
      mapOverlay: settings.mapOverlay && OVERLAY,
      pushKey,
      channels: channelsSetUp(settings),
    }),
    ...healthOperations(store, vitals),
    ...trialOperations(store),
    ...notificationOperations(store),
    ...deliveryOperations(store, wakeOutbox),
    ...destinationOperations(store, wakeOutbox),
    ...messageOperations(store),
    ...geofenceOperations(store, access, engine.fenceShaped),
    ...insideOperations(store),
    ...forwardingOperations(store, {
      checkTarget,
      changed: rulesChanged,
      missing: (kind) => missingSetup(settings)[kind],
    }),
    ...pushSubscriptionOperations(store, checkTarget),
    ...planOperations(store, { usersMayBuy: settings.planPurchase }),
  };
}

function addressOf(host: string, { port }: Pick<AddressInfo, 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
