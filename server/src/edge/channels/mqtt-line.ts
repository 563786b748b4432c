import { randomBytes } from 'node:crypto';
import type { MqttClient } from 'mqtt';

/** The one connection to the broker: opened when there is something to publish, and again when it was lost. */

export interface MqttLine {
  isOpen(): boolean;
  /** An open connection; throws where none can be made. */
  open(signal: AbortSignal): Promise<MqttClient>;
  /** Closes it, with all that was not acknowledged. */
  drop(): void;
  /** Ends the connection after what was written to it has gone out. */
  close(): Promise<void>;
}

type Version = 4 | 5;

/** Of a client whom the broker keeps messages for; without it, it only publishes. */
export interface MqttSession {
  readonly clientId: string;
  /** Seconds for which the broker keeps messages for it. */
  readonly sessionS: number;
  /** Messages that the broker may send before one is acknowledged. */
  readonly inFlight: number;
  /** Comes before anything is received. */
  prepare(client: MqttClient): void;
}

/** What any client may have. */
export interface MqttManners {
  /** What the broker publishes in our name once we are gone without a farewell. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** Comes before anything is received. */
  prepare?(client: MqttClient): void;
}

/** Reasons of a broker that another version of the protocol does not change: the account and its rights. */
const OF_THE_ACCOUNT = [4, 5, 134, 135, 138, 140];
const NOT_REACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'];

export function mqttLine(url: string, session?: MqttSession, manners: MqttManners = {}): MqttLine {
  let client: MqttClient | undefined;
  let opening: Promise<MqttClient> | undefined;
  // MQTT 5 says why a message was rejected. Brokers that do not support it are used with 3.1.1.
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
    // Whoever publishes opens it again; what was not acknowledged is in the outbox, not here.
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
  });
  session?.prepare(client);
  prepare?.(client);
  const { promise, resolve, reject } = Promise.withResolvers<MqttClient>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  // Stays for good: an error that nobody listens to would end the process.
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
