import type { Store } from '../domain/schema/tables.ts';
import type { ServerReach } from '../domain/service/reach.ts';
import type { Log } from '../platform/log.ts';
import { openAccounts } from './accounts.ts';
import { openBase } from './base.ts';
import { listenToDevices } from './listening.ts';
import { joinNodes } from './node.ts';
import { openOutlets, startProcessing } from './processing.ts';
import { listen, type Machine, openServer, openServices } from './server.ts';
import type { Settings } from './settings.ts';
import { claimWaiting } from './sharing.ts';
import { openStore } from './store.ts';
import { startTasks } from './tasks.ts';
import { openCertificates, watch } from './vitals.ts';

export interface RunningApp {
  /** Where it listens. */
  readonly address: string;
  /** The port that recognises trackers; undefined where there is none, or where it was taken. */
  readonly trackersPort: number | undefined;
  /** The token of the set-up link, while there are no users. */
  readonly setupToken: string | undefined;
  /** Whether the admin of the settings was made at this start. */
  readonly adminMade: boolean;
  readonly reach: ServerReach;
  readonly store: Store;
  stop(): Promise<void>;
}

/**
 * Starts all parts of a server in this order: a part gets those above it, and reaches those below it by events. What starts here
 * is stopped in the reverse order, also where the start fails.
 */
export async function startApp(given: Settings, log: Log, machine: Machine = {}): Promise<RunningApp> {
  const running = new AsyncDisposableStack();
  try {
    const base = await openBase(given, log, machine.opened ?? (await openStore(given, { log })), running);
    const accounts = await openAccounts(base, running);
    const outlets = await openOutlets(base, accounts, running);
    const certificates = await openCertificates(base);
    const processing = { ...outlets, ...(await startProcessing(base, outlets, running)) };
    const node = await joinNodes(base, processing, machine.processNumber, running);
    const watched = watch(base, { ...processing, ...node, ...certificates });
    const started = { ...base, ...accounts, ...certificates, ...processing, ...node, ...watched };
    const services = openServices(started, machine, running);
    const server = openServer(started, services, running);
    await listen(server, started, running);
    await services.reach.follow();
    await node.node.beat();
    await listenToDevices(server, started, services, running);
    await claimWaiting(base.store);
    const tasks = startTasks(started, services);
    running.defer(() => tasks.stop());
    return {
      address: base.listening.address,
      trackersPort: base.listening.trackers?.port,
      setupToken: accounts.setupToken,
      adminMade: accounts.adminMade,
      reach: services.reach,
      store: base.store,
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}
