import { channelValues } from '../domain/service/channel-setup.ts';
import type { MqttListener } from '../edge/listeners/mqtt.ts';
import type { Trackers } from '../edge/listeners/trackers.ts';
import { followClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { type AppEvents, Bus } from './bus.ts';
import { liveSettings, sendingPolicyOf, withDomain } from './from-settings.ts';
import type { Settings } from './settings.ts';
import type { OpenedStore } from './store.ts';
import { openVault } from './vault.ts';

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
