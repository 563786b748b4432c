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
} from './home-announce.ts';

interface HomePublisherOptions extends HomeTopics {
  readonly url: string;
  readonly devices: HomeDevices;
  /** Only one process publishes at a time. */
  readonly lease: BrokerLease;
  readonly log: Log;
  /** The interval between checks for changes. */
  readonly everyMs?: number;
  /** Maximum number of messages between two checks. */
  readonly atOnce?: number;
}

interface HomePublisher {
  stop(): Promise<void>;
}

const EVERY_MS = 5000;
const AT_ONCE = 500;
/** Pause between two checks if there is more to publish. */
const BREATH_MS = 1000;
const CONNECT_MS = 10_000;
const PUBLISH_MS = 20_000;

/**
 * Publishes the devices of a user to Home Assistant. The user's access is checked before every few messages; devices
 * that are no longer accessible are removed from the broker. Retained messages show what an earlier process published.
 */
export function startHomePublisher(options: HomePublisherOptions): HomePublisher {
  const { url, devices, lease, log, everyMs = EVERY_MS, atOnce = AT_ONCE } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Retained payloads of the broker, by topic. */
  const published = new Map<string, string>();
  /** Devices with retained messages. */
  const there = new Set<number>();
  let wake = () => {};
  /** The device to start with next time. */
  let turn = 0;
  const isBefore = ({ deviceId }: { readonly deviceId: number }) => deviceId < turn;

  const line = mqttLine(url, undefined, {
    will: { topic: statusTopic(options), payload: 'offline' },
    prepare(client) {
      client.on('message', (topic, payload) => {
        if (topic === statusTopic(options)) {
          // The broker may publish the last will of an earlier connection after this one published that it is online.
          if (payload.toString() === 'offline') client.publish(topic, 'online', { qos: 1, retain: true }, () => {});
          return;
        }
        if (topic === birthTopic(options)) {
          if (payload.toString() !== 'online') return;
          // Home Assistant has started and may have lost its state.
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

  /** Whether everything was published. */
  async function publishAll(client: MqttClient): Promise<boolean> {
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
    // Devices that must no longer be visible come first.
    for (const deviceId of there) {
      if (isSeen.has(deviceId)) continue;
      if (left <= 0) break;
      const topics = topicsAbout(options, deviceId);
      for (const topic of topics) put(topic, '');
      const gone = Promise.all(sending.slice(-topics.length)).then(() => there.delete(deviceId));
      sending.push(gone);
    }
    // Round-robin, so that devices that move continuously do not starve others.
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
    // A restarted broker may have lost its retained messages.
    published.clear();
    const client = await line.open(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]));
    try {
      await client.publishAsync(statusTopic(options), 'online', { qos: 1, retain: true });
      await client.subscribeAsync([birthTopic(options), statusTopic(options), ownConfigFilter(options)], { qos: 1 });
      log.info({ prefix: options.prefix }, 'Devices are shown in Home Assistant');
      while (client.connected && !signal.aborted) {
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const isAll = await publishAll(client);
        await breath(BREATH_MS < everyMs ? BREATH_MS : everyMs);
        if (isAll) await Promise.race([woken, breath(everyMs)]);
        if (signal.aborted || !(await lease.hold(timeNow()))) return;
      }
    } finally {
      if (!signal.aborted) line.drop();
    }
  }

  const breath = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => {});

  const failure = 'Devices cannot be published to Home Assistant';
  const running = whileLeased({ lease, signal, pauseMs: everyMs, log, failure }, serve);
  return {
    async stop() {
      stopping.abort();
      // The broker then publishes the last will, `offline`.
      line.drop();
      await running;
    },
  };
}
