import { hostname } from 'node:os';
import { installationLease } from '../domain/schema/installation-lease.ts';
import { startNode, watchDrain } from '../domain/service/nodes/node.ts';
import { timeNow } from '../platform/clock.ts';
import type { AppBase } from './base.ts';
import type { Outlets, Processing } from './processing.ts';

const HOUR_MS = 3_600_000;
/** Almost an hour: one of several nodes runs the hourly tasks. */
const HOUSEKEEPER_MS = HOUR_MS - 60_000;

export type NodeParts = Awaited<ReturnType<typeof joinNodes>>;

/** Makes this process one of the nodes of its database. */
export async function joinNodes(
  { store, settings, log, listening }: AppBase,
  { clocks, received, engine, outbox, live }: Processing & Outlets,
  processNumber: number | undefined,
  running: AsyncDisposableStack,
) {
  const housekeeper = installationLease(store, 'housekeeper', HOUSEKEEPER_MS);
  running.defer(() => housekeeper.release().catch(() => {}));
  // As if an operator had stopped it: the next start reports the cause.
  const stop = () => void process.kill(process.pid, 'SIGTERM');
  const node = await startNode(store, {
    name: nameOf(settings.nodeName || hostname(), processNumber),
    address: () => listening.address,
    log,
    figures: () => ({
      reportsPerMinute: received.reports.perMinute(timeNow()),
      positionsPerMinute: received.positions.perMinute(timeNow()),
      streams: live.count(),
      memoryBytes: process.memoryUsage.rss(),
    }),
    owns: () => ({
      destinations: outbox.serving,
      replays: engine.replaying(),
      housekeeping: housekeeper.isHeld(timeNow()) ? 1 : 0,
      broker: listening.broker?.isSubscribed() ? 1 : 0,
    }),
    outdated: stop,
  });
  running.defer(() => node.stop());
  const draining = watchDrain(store, node.id, { log, stop });
  running.defer(() => draining.stop());
  await clocks.start(node.id);
  return { housekeeper, node, draining };
}

/** Several processes of one server are nodes of their own. */
const nameOf = (name: string, processNumber = 1) => (processNumber === 1 ? name : `${name} ${processNumber}`);
