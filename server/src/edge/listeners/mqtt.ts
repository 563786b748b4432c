import { setTimeout as pause } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { timeNow } from '../../platform/clock.ts';
import { type MqttLine, mqttLine } from '../channels/mqtt-line.ts';
import { MqttReader, type MqttReaderOptions } from './mqtt-reader.ts';
import { filtersOf } from './mqtt-setting.ts';
import { type MqttWindow, openWindow } from './mqtt-window.ts';
import { type BrokerLease, whileLeased } from './while-leased.ts';

export interface MqttListenerOptions extends Omit<MqttReaderOptions, 'broker'> {
  readonly url: string;
  /** The same at each start: by it the broker knows what was not acknowledged. */
  readonly clientId: string;
  readonly lease: BrokerLease;
  /** Topics that were subscribed to under other settings. */
  readonly formerFilters: readonly string[];
  readonly renewMs?: number;
  readonly pauseMs?: number;
  /** How long a stop waits for what is almost durable. */
  readonly stopMs?: number;
}

export interface MqttListener {
  /** Whether it is connected, and hears what is published from now on. */
  isSubscribed(): boolean;
  stop(): Promise<void>;
}

const RENEW_MS = 5000;
const PAUSE_MS = 5000;
const CONNECT_MS = 10_000;
const STOP_MS = 1500;
/** How long the broker keeps what comes while nobody is connected, in seconds, if it lets us choose. */
const SESSION_S = 7 * 24 * 3600;
/** Messages that the broker may send before one of them is acknowledged. */
const IN_FLIGHT = 200;
const SUBSCRIBED_AT_ONCE = 100;
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;

/** Listens to the topics of the operator's broker. A message is acknowledged once what it says is durable. */
export function startMqttListener(options: MqttListenerOptions): MqttListener {
  const { url, clientId, lease, log, renewMs = RENEW_MS, pauseMs = PAUSE_MS, stopMs = STOP_MS } = options;
  const reader = new MqttReader({ ...options, broker: new URL(url).host });
  const stopping = new AbortController();
  const { signal } = stopping;
  let isSubscribed = false;
  let window: MqttWindow | undefined;
  const line: MqttLine = mqttLine(url, {
    clientId,
    sessionS: SESSION_S,
    inFlight: IN_FLIGHT,
    // The broker sends what it kept as soon as it is connected to.
    prepare(client) {
      window = openWindow(client, {
        messages: IN_FLIGHT,
        bytes: IN_FLIGHT_BYTES,
        read: ({ topic, payload, retain }) =>
          reader.read({ topic, payload: Buffer.from(payload), isRetained: retain }, signal),
      });
    },
  });

  async function serve(): Promise<void> {
    await options.discovered?.load();
    const client = await line.open(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]));
    const closed = new Promise<void>((resolve) => {
      client.once('close', resolve);
      if (!client.connected) resolve();
    });
    try {
      await subscribe(client, options);
      await followDiscovered(client);
      isSubscribed = true;
      log.info({ topics: options.topics.flatMap(filtersOf) }, 'Listening to the MQTT broker');
      while (client.connected && !signal.aborted) {
        await Promise.race([closed, pause(renewMs, undefined, { signal, ref: false }).catch(() => {})]);
        if (signal.aborted || !(await lease.hold(timeNow()))) return;
      }
    } finally {
      isSubscribed = false;
      if (!signal.aborted) line.drop();
    }
  }

  /** Topics that are announced are subscribed to one by one: one that is refused must not hinder the others. */
  async function followDiscovered(client: MqttClient): Promise<void> {
    const { discovered } = options;
    if (discovered === undefined) return;
    const follow = async (added: readonly string[], removed: readonly string[]) => {
      try {
        if (removed.length > 0) await client.unsubscribeAsync([...removed]);
        for (let start = 0; start < added.length; start += SUBSCRIBED_AT_ONCE)
          await client.subscribeAsync(added.slice(start, start + SUBSCRIBED_AT_ONCE), { qos: 1 });
      } catch (error) {
        if (client.connected && !signal.aborted) log.warn({ error }, 'Topics of entities were not subscribed to');
      }
    };
    discovered.changed = (added, removed) => void follow(added, removed);
    await follow(discovered.topics, []);
  }

  const failure = 'The MQTT broker cannot be listened to';
  const running = whileLeased({ lease, signal, pauseMs, log, failure }, serve);
  return {
    isSubscribed: () => isSubscribed && line.isOpen(),
    async stop() {
      stopping.abort();
      // What is almost durable is acknowledged still.
      const acknowledged = window?.close().then(() => line.close());
      await Promise.race([acknowledged, pause(stopMs, undefined, { ref: false })]);
      line.drop();
      await running;
    },
  };
}

async function subscribe(client: MqttClient, { topics, formerFilters }: MqttListenerOptions): Promise<void> {
  const filters = topics.flatMap(filtersOf);
  const former = formerFilters.filter((filter) => !filters.includes(filter));
  if (former.length > 0) await client.unsubscribeAsync(former);
  const granted = await client.subscribeAsync(filters, { qos: 1 });
  const refused = granted.filter(({ qos }) => (qos as number) >= 128).map(({ topic }) => topic);
  if (refused.length > 0)
    throw new Error(`The broker does not let TRACKWAY_MQTT_URL subscribe to ${refused.join(', ')}`);
}
