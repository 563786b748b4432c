import { setTimeout as pause } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import type { HomeDevices } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { mqttLine } from '../channels/mqtt-line.ts';
import { type BrokerLease, whileLeased } from '../listeners/while-leased.ts';
import {
  announced,
  birthTopic,
  deviceOfTopic,
  type HomeTopics,
  ownConfigFilter,
  statusTopic,
  topicsAbout,
} from './announce.ts';

export interface HomePublisherOptions extends HomeTopics {
  readonly url: string;
  readonly devices: HomeDevices;
  /** Of all processes, one publishes at a time. */
  readonly lease: BrokerLease;
  readonly log: Log;
  /** The interval at which it looks for what is new. */
  readonly everyMs?: number;
  /** Most messages between two looks. */
  readonly atOnce?: number;
}

export interface HomePublisher {
  stop(): Promise<void>;
}

const EVERY_MS = 5000;
const AT_ONCE = 500;
/** Between two looks where there is more to publish. */
const BREATH_MS = 1000;
const CONNECT_MS = 10_000;
const PUBLISH_MS = 20_000;

/**
 * Shows the devices of a user in Home Assistant. What the user may see is asked before each few messages; what they may
 * not see any more is removed from the broker. The broker itself tells what was published by an earlier process.
 */
export function startHomePublisher(options: HomePublisherOptions): HomePublisher {
  const { url, devices, lease, log, everyMs = EVERY_MS, atOnce = AT_ONCE } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** What the broker has, by topic. */
  const published = new Map<string, string>();
  /** Devices of which the broker has something. */
  const there = new Set<number>();
  let wake = () => {};
  /** The device that comes first the next time. */
  let turn = 0;
  const isBefore = ({ deviceId }: { readonly deviceId: number }) => deviceId < turn;

  const line = mqttLine(url, undefined, {
    will: { topic: statusTopic(options), payload: 'offline' },
    prepare(client) {
      client.on('message', (topic, payload) => {
        if (topic === birthTopic(options)) {
          if (payload.toString() !== 'online') return;
          // Home Assistant has started, and may know nothing.
          published.clear();
          wake();
          return;
        }
        const deviceId = payload.length === 0 ? undefined : deviceOfTopic(options, topic);
        if (deviceId !== undefined && !there.has(deviceId)) {
          there.add(deviceId);
          wake();
        }
      });
    },
  });

  /** Whether all of it was told. */
  async function tell(client: MqttClient): Promise<boolean> {
    const seen = await devices.list();
    const isSeen = new Set(seen.map(({ deviceId }) => deviceId));
    let left = atOnce;
    const sending: Promise<unknown>[] = [];
    const put = (topic: string, payload: string) => {
      left--;
      const sent = client.publishAsync(topic, payload, { qos: 1, retain: true });
      sending.push(
        sent.then(() => {
          if (payload === '') published.delete(topic);
          else published.set(topic, payload);
        }),
      );
    };
    // First of all, what must not be seen any more.
    for (const deviceId of there) {
      if (isSeen.has(deviceId)) continue;
      if (left <= 0) break;
      const topics = topicsAbout(options, deviceId);
      for (const topic of topics) put(topic, '');
      const gone = Promise.all(sending.slice(-topics.length)).then(() => there.delete(deviceId));
      sending.push(gone);
    }
    // In turn, so that devices that move all the time do not keep others out.
    const [before, after] = [seen.filter(isBefore), seen.filter((one) => !isBefore(one))];
    for (const device of [...after, ...before]) {
      if (left <= 0) {
        turn = device.deviceId;
        break;
      }
      for (const { topic, payload } of announced(options, device)) {
        if (published.get(topic) === payload) continue;
        there.add(device.deviceId);
        put(topic, payload);
      }
    }
    await Promise.race([
      Promise.all(sending),
      pause(PUBLISH_MS, undefined, { signal, ref: false }).then(() => {
        throw new Error('The broker did not acknowledge in time.');
      }),
    ]);
    return left > 0;
  }

  async function serve(): Promise<void> {
    // A broker that was restarted may have lost what it kept.
    published.clear();
    const client = await line.open(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]));
    try {
      await client.publishAsync(statusTopic(options), 'online', { qos: 1, retain: true });
      await client.subscribeAsync([birthTopic(options), ownConfigFilter(options)], { qos: 1 });
      log.info({ prefix: options.prefix }, 'Devices are shown in Home Assistant');
      while (client.connected && !signal.aborted) {
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const isAll = await tell(client);
        await breath(BREATH_MS < everyMs ? BREATH_MS : everyMs);
        if (isAll) await Promise.race([woken, breath(everyMs)]);
        if (signal.aborted || !(await lease.hold(timeNow()))) return;
      }
    } finally {
      if (!signal.aborted) line.drop();
    }
  }

  const breath = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => {});

  const failure = 'Home Assistant cannot be told of devices';
  const running = whileLeased({ lease, signal, pauseMs: everyMs, log, failure }, serve);
  return {
    async stop() {
      stopping.abort();
      // The broker says `offline` in our name.
      line.drop();
      await running;
    },
  };
}
