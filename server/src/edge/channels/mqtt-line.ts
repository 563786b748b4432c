import { randomBytes } from 'node:crypto';
import type { MqttClient } from 'mqtt';

/** The one connection to the broker: opened when there is something to publish, and reopened after a loss. */

export interface MqttLine {
  isOpen(): boolean;
  /** Returns an open connection; throws if none can be opened. */
  open(signal: AbortSignal): Promise<MqttClient>;
  /** Closes the connection and drops unacknowledged messages. */
  drop(): void;
  /** Closes the connection after all written data has been sent. */
  close(): Promise<void>;
}

type Version = 4 | 5;

/** Session where the broker stores messages for the client. Without it, the client only publishes. */
interface MqttSession {
  readonly clientId: string;
  /** How long the broker stores messages, in seconds. */
  readonly sessionS: number;
  /** Maximum number of unacknowledged messages from the broker. */
  readonly inFlight: number;
  /** Called before anything is received. */
  prepare(client: MqttClient): void;
}

/** Options of any client. */
interface MqttManners {
  /** The last will: published by the broker if the connection is lost. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** Called before anything is received. */
  prepare?(client: MqttClient): void;
}

/** Error codes that do not depend on the protocol version: the account and its permissions. */
const OF_THE_ACCOUNT = [4, 5, 134, 135, 138, 140];
const NOT_REACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'];

export function mqttLine(url: string, session?: MqttSession, manners: MqttManners = {}): MqttLine {
  let client: MqttClient | undefined;
  let opening: Promise<MqttClient> | undefined;
  // MQTT 5 reports why a message was rejected. Brokers that do not support it are used with 3.1.1.
  let version: Version = 5;

  async function connect(signal: AbortSignal): Promise<MqttClient> {
    let failure: unknown;
    for (const tried of version === 5 ? ([5, 4] as const) : ([4, 5] as const)) {
      try {
        const opened = await connectOnce(url, tried, session, manners, signal);
        version = tried;
        opened.once('close', () => {
          if (client === opened) client = undefined;
        });
        client = opened;
        return opened;
      } catch (error) {
        failure = error;
        const { code } = error as { code?: unknown };
        if (signal.aborted || OF_THE_ACCOUNT.includes(code as number) || NOT_REACHED.includes(code as string)) break;
      }
    }
    throw failure;
  }

  return {
    isOpen: () => client?.connected === true,
    async open(signal) {
      if (client?.connected) return client;
      opening ??= connect(signal).finally(() => {
        opening = undefined;
      });
      return opening;
    },
    drop() {
      client?.end(true);
      client = undefined;
    },

    async close() {
      await client?.endAsync();
      client = undefined;
    },
  };
}

async function connectOnce(
  url: string,
  protocolVersion: Version,
  session: MqttSession | undefined,
  { will, prepare }: MqttManners,
  signal: AbortSignal,
): Promise<MqttClient> {
  const { default: mqtt } = await import('mqtt');
  const broker = new URL(url);
  const [username, password] = [decodeURIComponent(broker.username), decodeURIComponent(broker.password)];
  broker.username = '';
  broker.password = '';
  const client = mqtt.connect(broker.href, {
    protocolVersion,
    clientId: session?.clientId ?? `trackway-${randomBytes(6).toString('hex')}`,
    ...(username === '' ? {} : { username, password }),
    clean: session === undefined,
    ...(session !== undefined &&
      protocolVersion === 5 && {
        properties: { sessionExpiryInterval: session.sessionS, receiveMaximum: session.inFlight },
      }),
    ...(will && { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1 as const, retain: true } }),
    keepalive: 30,
    // Publishing reopens the connection; unacknowledged messages are in the outbox, not here.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
  });
  session?.prepare(client);
  prepare?.(client);
  const { promise, resolve, reject } = Promise.withResolvers<MqttClient>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  // Never removed: an unhandled error event would end the process.
  client.on('error', reject);
  client.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  client.once('connect', () => resolve(client));
  if (signal.aborted) giveUp();
  try {
    return await promise;
  } catch (error) {
    client.end(true);
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
