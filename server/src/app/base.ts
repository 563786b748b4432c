import type { Socket } from 'node:net';
import { channelValues } from '../domain/service/channel-setup.ts';
import type { MqttListener } from '../edge/listeners/mqtt.ts';
import type { Trackers } from '../edge/listeners/trackers.ts';
import { followClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { liveSettings, sendingPolicyOf, withDomain } from './from-settings.ts';
import type { Settings } from './settings.ts';
import type { OpenedStore } from './store.ts';
import { openVault } from './vault.ts';

/** What parts of a server announce to parts that start after them. */
interface AppEvents {
  /** The outbox may have something to send. */
  outboxChanged: [];
  /** The local network has connected. */
  connected: [socket: Socket];
  /** A message waits for a device. */
  messageQueued: [deviceId: number];
  /** No command waits for the answer of a device any longer. */
  channelReleased: [deviceId: number];
}

/** An event without a listener is lost: a part that starts reads earlier changes from the store. */
class Bus<Events extends { [Name in keyof Events]: unknown[] }> {
  readonly #listeners: { [Name in keyof Events]?: ((...values: Events[Name]) => void)[] } = {};

  on<Name extends keyof Events>(name: Name, listener: (...values: Events[Name]) => void): void {
    const listeners = this.#listeners[name] ?? [];
    this.#listeners[name] = [...listeners, listener];
  }

  emit<Name extends keyof Events>(name: Name, ...values: Events[Name]): void {
    for (const listener of this.#listeners[name] ?? []) listener(...values);
  }
}

/** What is known only once the server listens. */
export interface Listening {
  /** Empty before. */
  address: string;
  trackers?: Trackers;
  broker?: MqttListener;
}

export type AppBase = Awaited<ReturnType<typeof openBase>>;

/** What every part of a server works with. */
export async function openBase(
  given: Settings,
  log: Log,
  { store, release }: OpenedStore,
  running: AsyncDisposableStack,
) {
  running.defer(release);
  running.defer(() => store.close());
  running.defer(followClock(store.now));
  const vault = await openVault(store, given, log);
  const values = channelValues(store, vault);
  await values.follow();
  const settings = liveSettings(withDomain(given), values);
  const policy = sendingPolicyOf(settings);
  const listening: Listening = { address: '' };
  return { store, vault, values, given, settings, policy, log, bus: new Bus<AppEvents>(), listening };
}
