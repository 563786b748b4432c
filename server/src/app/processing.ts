import { STAGED_POSTINGS } from '../domain/delivery/outbox-relay.ts';
import { forgetGoneBrowsers, giveUpGoneBrowsers } from '../domain/delivery/push-subscriptions.ts';
import { queueRight } from '../domain/delivery/queue-holders.ts';
import { sendGuard } from '../domain/delivery/send-guard.ts';
import { startLive } from '../domain/live/streams.ts';
import { installationValue } from '../domain/schema/installation-lease.ts';
import { isOwned } from '../domain/schema/owned-devices.ts';
import { nodeClocks } from '../domain/service/nodes/node-clocks.ts';
import { startEngine } from '../domain/tracking/engine.ts';
import { createChannels } from '../edge/channels/channels.ts';
import { proofSender } from '../edge/channels/sqs.ts';
import { vapidKeys } from '../edge/channels/vapid.ts';
import { timeNow } from '../platform/clock.ts';
import { createEgress } from '../platform/egress/client.ts';
import { startOutbox } from '../platform/outbox/worker.ts';
import { Pace } from '../platform/pace.ts';
import { startRelay } from '../platform/storage/relay.ts';
import type { Accounts } from './accounts.ts';
import type { AppBase } from './base.ts';
import { keptHistoryOf } from './from-settings.ts';

const DAY_MS = 86_400_000;

export type Outlets = Awaited<ReturnType<typeof openOutlets>>;
export type Processing = Awaited<ReturnType<typeof startProcessing>>;

/** The ways out of the server: live streams and channels. */
export async function openOutlets(
  { store, vault, settings, log }: AppBase,
  { admins }: Accounts,
  running: AsyncDisposableStack,
) {
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
  return { live, egress, channels, pushKey: pushKeys.publicKey, proofs: proofSender(settings) };
}

/** What happens to a report, from its evaluation to what is sent of it. */
export async function startProcessing(
  { store, vault, settings, policy, log, bus }: AppBase,
  { channels, live }: Outlets,
  running: AsyncDisposableStack,
) {
  const clocks = nodeClocks(store, { log });
  const received = { reports: new Pace(), positions: new Pace() };
  // After the engine, which must have decided the last by then.
  running.defer(() => clocks.stop());
  const relay = startRelay(store, STAGED_POSTINGS, {
    log,
    clock: timeNow,
    owned: () => isOwned('deviceId', clocks.now()),
    moved: () => bus.emit('outboxChanged'),
  });
  running.defer(() => relay.stop());
  const engine = await startEngine(store, {
    owned: clocks,
    policy,
    windowMs: settings.lateWindow * DAY_MS,
    packAfterMs: settings.packAfter > 0 ? settings.packAfter * DAY_MS : undefined,
    kept: keptHistoryOf(settings),
    commitWaitMs: settings.commitWait,
    log,
    committed({ points, outgoing }) {
      received.positions.note(points, timeNow());
      live.wake();
      if (outgoing.length > 0) relay.wake(outgoing);
    },
    corrected({ deviceId }) {
      live.wake();
      relay.wake([deviceId]);
    },
  });
  running.defer(() => engine.stop());
  const outbox = await startOutbox(store, channels, {
    log,
    vault,
    guard: sendGuard,
    async switchedOff() {
      await forgetGoneBrowsers(store);
      await giveUpGoneBrowsers(store, timeNow());
    },
  });
  bus.on('outboxChanged', () => outbox.wake());
  running.defer(() => outbox.stop());
  return { clocks, received, engine, outbox };
}
