import { setTimeout as pause } from 'node:timers/promises';
import type { IPublishPacket, MqttClient } from 'mqtt';
import { timeNow } from '../../platform/clock.ts';
import { type MqttLine, mqttLine } from '../channels/mqtt-line.ts';
import { filtersOf } from './listen-setting.ts';
import { MqttReader, type MqttReaderOptions } from './mqtt-reader.ts';
import { type BrokerLease, whileLeased } from './while-leased.ts';

export interface MqttListenerOptions extends Omit<MqttReaderOptions, 'broker' | 'publish'> {
  readonly url: string;
  /** The same at each start: it identifies the session with unacknowledged messages. */
  readonly clientId: string;
  readonly lease: BrokerLease;
  /** Topics that were subscribed to with earlier settings. */
  readonly formerFilters: readonly string[];
  readonly renewMs?: number;
  readonly pauseMs?: number;
  /** How long a stop waits for messages in progress. */
  readonly stopMs?: number;
}

export interface MqttListener {
  /** Whether it is connected and receives messages. */
  isSubscribed(): boolean;
  stop(): Promise<void>;
}

const RENEW_MS = 5000;
const PAUSE_MS = 5000;
const CONNECT_MS = 10_000;
const STOP_MS = 1500;
/** How long the broker stores messages for a disconnected client, in seconds, if the broker supports it. */
const SESSION_S = 7 * 24 * 3600;
/** Maximum number of unacknowledged messages from the broker. */
const IN_FLIGHT = 200;
const SUBSCRIBED_AT_ONCE = 100;
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;

/** Subscribes to topics of the operator's broker. A message is acknowledged once its data is durable. */
export function startMqttListener(options: MqttListenerOptions): MqttListener {
  const { url, clientId, lease, log, renewMs = RENEW_MS, pauseMs = PAUSE_MS, stopMs = STOP_MS } = options;
  const reader = new MqttReader({ ...options, broker: new URL(url).host, publish });
  const stopping = new AbortController();
  const { signal } = stopping;
  let isSubscribed = false;
  let window: MqttWindow | undefined;
  let connected: MqttClient | undefined;
  const line: MqttLine = mqttLine(url, {
    clientId,
    sessionS: SESSION_S,
    inFlight: IN_FLIGHT,
    // The broker sends stored messages immediately after the connection.
    prepare(client) {
      window = openWindow(client, {
        messages: IN_FLIGHT,
        bytes: IN_FLIGHT_BYTES,
        read: ({ topic, payload, retain }) =>
          reader.read({ topic, payload: Buffer.from(payload), isRetained: retain }, signal),
      });
    },
  });

  /** Newer messages soon replace a published one, so losing one does not matter. */
  function publish(topic: string, payload: string): void {
    if (connected?.connected) connected.publish(topic, payload, { qos: 0 }, () => {});
  }

  async function serve(): Promise<void> {
    await options.discovered?.load();
    const client = await line.open(AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]));
    const closed = new Promise<void>((resolve) => {
      client.once('close', resolve);
      if (!client.connected) resolve();
    });
    try {
      await subscribe(client, options);
      connected = client;
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

  /** Discovered topics are subscribed to one by one: a rejected one must not affect the others. */
  async function followDiscovered(client: MqttClient): Promise<void> {
    const { discovered } = options;
    if (discovered === undefined) return;
    const follow = async (added: readonly string[], removed: readonly string[]) => {
      try {
        if (removed.length > 0) await client.unsubscribeAsync([...removed]);
        for (let start = 0; start < added.length; start += SUBSCRIBED_AT_ONCE)
          await client.subscribeAsync(added.slice(start, start + SUBSCRIBED_AT_ONCE), { qos: 1 });
      } catch (error) {
        if (client.connected && !signal.aborted) log.warn({ error }, 'Subscribing to the topics of entities failed');
      }
    };
    discovered.changed = (added, removed) => void follow(added, removed);
    await follow(discovered.topics, []);
  }

  const failure = 'Reading from the MQTT broker failed';
  const running = whileLeased({ lease, signal, pauseMs, log, failure }, serve);
  return {
    isSubscribed: () => isSubscribed && line.isOpen(),
    async stop() {
      stopping.abort();
      // Messages in progress are still acknowledged.
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

interface WindowOptions {
  /** Maximum number and total size of messages in progress before the broker must wait. */
  readonly messages: number;
  readonly bytes: number;
  /** Whether the message may be acknowledged. Called in the order of the messages. */
  readonly read: (packet: IPublishPacket) => Promise<boolean>;
}

interface MqttWindow {
  /** Stops reading; resolves once the messages in progress were acknowledged. */
  close(): Promise<void>;
}

/**
 * Reads the messages of a connection concurrently, so that they share a transaction. Each is acknowledged once its data
 * is durable, in the order of arrival, as MQTT requires: if one may not be acknowledged, none after it is.
 */
function openWindow(client: MqttClient, { messages, bytes, read }: WindowOptions): MqttWindow {
  const ids = new WeakMap<object, number>();
  let acknowledged = Promise.resolve();
  let waiting: (() => void)[] = [];
  let isClosed = false;
  const underWay = { messages: 0, bytes: 0 };
  const isFull = () => underWay.messages >= messages || underWay.bytes >= bytes;

  // The client would acknowledge a message before it reads the next, so it sees each message as one that needs no
  // acknowledgement.
  client.on('packetreceive', (packet) => {
    if (packet.cmd !== 'publish' || packet.qos !== 1 || packet.messageId === undefined) return;
    ids.set(packet, packet.messageId);
    packet.qos = 0;
  });

  async function settle(packet: IPublishPacket, isDone: Promise<boolean>): Promise<void> {
    const mayForget = await isDone;
    underWay.messages--;
    underWay.bytes -= packet.payload.length;
    const messageId = ids.get(packet);
    // The broker delivers it again over the next connection, with all messages after it.
    if (!mayForget) client.end(true);
    else if (messageId !== undefined && client.connected) client['_sendPacket']({ cmd: 'puback', messageId });
    if (isFull()) return;
    const ready = waiting;
    waiting = [];
    for (const goOn of ready) goOn();
  }

  client.handleMessage = (packet, done) => {
    if (isClosed || client.disconnecting) return;
    underWay.messages++;
    underWay.bytes += packet.payload.length;
    const isDone = read(packet);
    acknowledged = acknowledged.then(() => settle(packet, isDone));
    if (isFull()) waiting.push(done);
    else done();
  };

  return {
    close() {
      isClosed = true;
      return acknowledged;
    },
  };
}
