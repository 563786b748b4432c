import type { MqttClient } from 'mqtt';
import { type Because, because } from '../../platform/because.ts';
import { within } from '../../platform/deadline.ts';
import { errorName } from '../../platform/egress/failure.ts';
import type { Channel, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition } from './definition.ts';
import { mqttLine } from './mqtt-line.ts';

/** Publishes to the operator's broker. A message counts as sent once the broker acknowledged it. */
export const mqtt: ChannelDefinition<{ readonly mqttUrl: string }> = {
  setup: ({ mqttUrl }) => ({
    missing: mqttUrl === '' ? NO_BROKER : null,
    about: 'Messages are published to the broker of TRACKWAY_MQTT_URL.',
  }),
  open: ({ mqttUrl }) => mqttChannel({ url: mqttUrl }),
};

interface MqttOptions {
  /** mqtt(s)://user:password@host:port; empty if no broker is configured. */
  readonly url: string;
  readonly deadlineMs?: number;
}

const NO_BROKER = 'MQTT is not configured: set TRACKWAY_MQTT_URL.';

const MAX_TOPIC_BYTES = 65_535;
/** After this many connections broke during one message, the message is the cause and not the broker. */
const MAX_BREAKS = 3;
const MAX_REMEMBERED = 1000;

/** MQTT 5 reason codes that concern the message: not authorized, topic, payload format. */
const OF_THE_MESSAGE = [135, 144, 153];

export function mqttChannel({ url, deadlineMs = 10_000 }: MqttOptions): Channel {
  const line = mqttLine(url);
  const breaks = new Map<string, number>();

  /** All users share the broker: a message that makes it disconnect each time must not block all others for days. */
  function blame(parcels: readonly Parcel[]): void {
    const [alone] = parcels;
    if (parcels.length !== 1 || alone === undefined) return;
    breaks.set(alone.messageId, (breaks.get(alone.messageId) ?? 0) + 1);
    const [oldest] = breaks.keys();
    if (breaks.size > MAX_REMEMBERED && oldest !== undefined) breaks.delete(oldest);
  }

  async function sendGood(parcels: readonly Parcel[], signal: AbortSignal): Promise<SendOutcome[]> {
    const isKept = line.isOpen();
    let client: MqttClient;
    try {
      client = await line.open(signal);
    } catch (error) {
      return parcels.map(() => notConnected(error, signal));
    }
    const outcomes = await publishAll(client, parcels, signal);
    if (outcomes.every(({ kind }) => kind !== 'down')) {
      for (const { messageId } of parcels) breaks.delete(messageId);
      return outcomes;
    }
    const isBroken = !client.connected && !signal.aborted;
    line.drop();
    // A reused connection that breaks was probably lost earlier, and a new one works.
    if (isBroken && isKept && outcomes.every(({ kind }) => kind === 'down'))
      return outcomes.map((outcome) => ({ ...(outcome as Because), kind: 'broken' }));
    if (isBroken) blame(parcels);
    return outcomes;
  }

  return {
    batch: 50,
    concurrency: 1,
    isOrdered: () => true,
    async send(_destination, parcels, breakOff) {
      if (url === '')
        return parcels.map(() => ({
          kind: 'unconfigured',
          ...because('mqttNotConfigured', { setting: 'TRACKWAY_MQTT_URL' }),
        }));
      await import('mqtt');
      const why = (parcel: Parcel) => whyNot(parcel, breaks.get(parcel.messageId) ?? 0);
      const good = parcels.filter((parcel) => why(parcel) === undefined);
      const outcomes = good.length > 0 ? await within(breakOff, deadlineMs, (signal) => sendGood(good, signal)) : [];
      return parcels.map((parcel) => {
        const sent = good.indexOf(parcel);
        return sent === -1 ? { kind: 'refused', reason: why(parcel)! } : outcomes[sent]!;
      });
    },
    async close() {
      line.drop();
    },
  };
}

/** A topic to publish to must not be a pattern or a topic of the broker itself. */
function whyNot({ address }: Parcel, breaks: number): string | undefined {
  if (breaks >= MAX_BREAKS) return 'The broker closes the connection when this message is sent.';
  const isTopic =
    address !== null && /^[^$+#\p{C}][^+#\p{C}]*$/u.test(address) && Buffer.byteLength(address) <= MAX_TOPIC_BYTES;
  return isTopic ? undefined : 'The address is not a topic to publish to.';
}

/** All at once, since one connection preserves their order. Unacknowledged messages may have arrived when it ends. */
async function publishAll(client: MqttClient, parcels: readonly Parcel[], signal: AbortSignal): Promise<SendOutcome[]> {
  const { promise: ended, resolve } = Promise.withResolvers<SendOutcome>();
  const down = (why: Because) => resolve({ kind: 'down', ...why, isUnclear: true });
  const late = () =>
    down(isTimeout(signal) ? { reason: 'The broker did not acknowledge the message in time.' } : because('aborted'));
  const closed = () => down({ reason: 'The connection to the broker was lost before the message was acknowledged.' });
  signal.addEventListener('abort', late, { once: true });
  client.once('close', closed);
  if (signal.aborted) late();
  const outcomes = await Promise.all(parcels.map((parcel) => Promise.race([publish(client, parcel), ended])));
  signal.removeEventListener('abort', late);
  client.off('close', closed);
  return outcomes;
}

function publish(client: MqttClient, { address, messageId, content }: Parcel): Promise<SendOutcome> {
  const properties = { contentType: content.type, userProperties: { messageId } };
  const isNew = client.options.protocolVersion === 5;
  return new Promise((resolve) => {
    client.publish(address!, content.text, { qos: 1, ...(isNew ? { properties } : {}) }, (error) => {
      if (!error) return resolve({ kind: 'sent' });
      const { code } = error as { code?: unknown };
      // Any other error ends the connection, which fails all messages.
      if (typeof code !== 'number') return;
      const why = because('brokerRejected', { why: REASONS[code] ?? `reason ${code}` });
      resolve({ kind: OF_THE_MESSAGE.includes(code) ? 'refused' : 'down', ...why });
    });
  });
}

const REASONS: Readonly<Record<number, string>> = {
  135: 'the account of TRACKWAY_MQTT_URL may not publish to this topic',
  144: 'the topic is not valid',
  151: 'a quota is exceeded',
  153: 'the format of its content is not valid',
};

const isTimeout = (signal: AbortSignal) => (signal.reason as Error | undefined)?.name === 'TimeoutError';

function notConnected(error: unknown, signal: AbortSignal): SendOutcome {
  if (signal.aborted) {
    return { kind: 'down', ...because(isTimeout(signal) ? 'brokerSilent' : 'aborted') };
  }
  const { code } = error as { code?: unknown };
  if (code === 4 || code === 5 || code === 134 || code === 135) {
    return { kind: 'down', reason: 'The broker rejects the account of TRACKWAY_MQTT_URL.' };
  }
  return { kind: 'down', ...because('brokerUnreachable', { error: errorName(code) }) };
}
