import { setTimeout as pause } from 'node:timers/promises';
import type { ReportReceiver, TrackerGateway } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { Report } from '../../reports.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { homeassistantTopics } from '../protocols/mqtt/homeassistant-topics.ts';
import type { SaidOnTopic, TopicMessage, TopicSource } from '../protocols/mqtt/source.ts';
import { Repeats, StandingAlarms } from './device-memory.ts';
import type { DiscoveredTopics } from './discovered-topics.ts';
import { type ListenedTopics, topicIn } from './listen-setting.ts';
import { reportOfRecords } from './report-of-records.ts';

export type MqttGateway = Pick<ReportReceiver, 'deviceOfIdentifier' | 'isCurrent' | 'secretOf' | 'friendsOf'> &
  Pick<TrackerGateway, 'receive' | 'noteUnknown' | 'undecoded'>;

export interface MqttReaderOptions {
  readonly topics: readonly ListenedTopics[];
  /** The topics of Home Assistant discovery, if enabled. */
  readonly discovered?: DiscoveredTopics;
  /** Host and port of the broker, to record the origin of messages. */
  readonly broker: string;
  readonly maxBytes: number;
  readonly limit: RateLimit;
  readonly gateway: MqttGateway;
  /** Publishes to the broker, if it is connected. */
  readonly publish: (topic: string, payload: string) => void;
  readonly log: Log;
}

interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
}

interface ReadMessage extends TopicMessage {
  readonly source: TopicSource;
  readonly topic: string;
}

const PATIENCE_MS = [200, 1000, 3000];
/**
 * After this many failures that the store did not cause, the message is the cause: it must not block all others for
 * ever.
 */
const MAX_FAILURES = 5;
const MAX_REMEMBERED = 100;

/** Reads messages of the broker concurrently. Reports are passed on in the order of their messages. */
export class MqttReader {
  readonly #options: MqttReaderOptions;
  readonly #repeats = new Repeats();
  readonly #memory = { alarms: new StandingAlarms(), sightings: new Repeats() };
  readonly #failures = new Map<string, number>();
  /** Resolves when the previous message was passed on. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: MqttReaderOptions) {
    this.#options = options;
  }

  /** Whether the message may be acknowledged: it is durable, or can never be stored. */
  async read(message: BrokerMessage, signal: AbortSignal): Promise<boolean> {
    const before = this.#turn;
    const { promise, resolve: forwarded } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      return await this.#patiently(message, signal, forwarded);
    } finally {
      forwarded();
    }
  }

  async #patiently(message: BrokerMessage, signal: AbortSignal, forwarded: () => void): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#take(message, timeNow(), forwarded);
        return true;
      } catch (error) {
        if (!(error instanceof StoreTrouble)) return this.#failed(message, error);
        const patience = PATIENCE_MS[attempt];
        if (patience === undefined || signal.aborted) return false;
        await pause(patience, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #take({ topic, payload, isRetained }: BrokerMessage, now: number, forwarded: () => void): Promise<void> {
    const { topics, discovered, maxBytes } = this.#options;
    const found = topicIn(topics, topic);
    const source = found?.source ?? homeassistantTopics;
    if (payload.length > maxBytes) return this.#note(source, topic, 'it is too large', payload, now);
    if (found === undefined) {
      // Empty if the topic was subscribed to with earlier settings.
      const said = discovered?.said({ topic, payload, isRetained, now }) ?? [];
      for (const [index, one] of said.entries()) {
        const isLast = index === said.length - 1;
        await this.#takeSaid(
          { source, levels: [], topic, payload, isRetained, now },
          one,
          isLast ? forwarded : () => {},
        );
      }
      return;
    }
    const { levels } = found;
    if (source === homeassistantTopics) {
      const read = await discovered?.learn(topic, levels, payload);
      if (read !== undefined && 'problem' in read) this.#note(source, topic, read.problem, payload, now);
      return;
    }
    const decoded = source.decode({ levels, payload, isRetained, now });
    if ('ignored' in decoded) return;
    if ('problem' in decoded) return this.#note(source, topic, decoded.problem, payload, now);
    return this.#takeSaid({ source, levels, topic, payload, isRetained, now }, decoded, forwarded);
  }

  async #takeSaid(message: ReadMessage, decoded: SaidOnTopic, forwarded: () => void): Promise<void> {
    const { gateway, broker } = this.#options;
    const { source, topic, payload, now } = message;
    const identity = await this.#identityOf(decoded.names);
    if (identity === undefined)
      return gateway.noteUnknown({ protocol: source.name, names: decoded.names, address: broker, now });
    const { deviceId } = identity;
    const { repeated } = decoded;
    if (repeated !== undefined && !this.#repeats.isNews(repeated.sender, repeated.value, now)) return;
    if (this.#isOverLimit(deviceId, now))
      return this.#note(source, topic, 'more reports a minute than a device may send', payload, now);
    const secret = decoded.isEncrypted ? await gateway.secretOf(deviceId) : undefined;
    const { said } = secret === undefined ? decoded : decryptedBy(source, { ...message, secret }, decoded);
    const report =
      'report' in said ? said.report : reportOfRecords(said.records, { deviceId, now, frame: payload }, this.#memory);
    // A door that opens, closes and opens again sends identical messages, which must not be treated as repeats.
    const asSent = () => `${topic} ${payload.toString('latin1')}${repeated === undefined ? '' : ` ${now}`}`;
    if (repeated !== undefined) this.#repeats.reported(repeated.sender, repeated.value, now);
    const receiving = gateway.receive(identity, { ...report, asSent }, now);
    forwarded();
    try {
      const { outcome } = await receiving;
      if (outcome !== 'stored' && repeated !== undefined) this.#repeats.forget(repeated.sender);
      if (outcome === 'gone') {
        // The identifier may belong to another device by now.
        if (!(await gateway.isCurrent(identity))) return await this.#takeSaid(message, decoded, () => {});
        gateway.noteUnknown({ protocol: source.name, names: decoded.names, address: broker, now });
      }
      if (outcome === 'stored') await this.#publishFriends(message, deviceId, report, secret);
    } catch (error) {
      // It will be delivered again, and must not be treated as a repeat then.
      if (repeated !== undefined) this.#repeats.forget(repeated.sender);
      throw error;
    }
  }

  async #identityOf(names: readonly string[]) {
    for (const name of names) {
      const identity = await this.#options.gateway.deviceOfIdentifier(name);
      if (identity !== undefined) return identity;
    }
    return undefined;
  }

  /** Only a phone whose report could be decrypted gets friends: anyone may know its topic. */
  async #publishFriends(
    { source, topic, levels }: ReadMessage,
    deviceId: number,
    { unreadable }: Report,
    secret: string | undefined,
  ): Promise<void> {
    const { gateway, publish } = this.#options;
    if (source.friends === undefined) return;
    const provenBy = unreadable === undefined ? secret : undefined;
    const friends = await gateway.friendsOf(deviceId, source.name, provenBy !== undefined);
    if (provenBy === undefined || friends.length === 0) return;
    const prefix = topic.slice(0, topic.length - levels.join('/').length);
    for (const one of source.friends(friends, levels, provenBy)) publish(prefix + one.topic, one.payload);
  }

  /** The broker cannot pause messages of a single device. */
  #isOverLimit(deviceId: number, now: number): boolean {
    const allowance = this.#options.limit.count(String(deviceId), now);
    return allowance.limit > 0 && allowance.remaining < 0;
  }

  #failed(message: BrokerMessage, error: unknown): boolean {
    const { log, topics } = this.#options;
    log.error({ error }, 'A message of the broker could not be stored');
    const key = `${message.topic} ${message.payload.toString('latin1')}`;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.delete(key);
    if (failures < MAX_FAILURES) {
      this.#failures.set(key, failures);
      const [oldest] = this.#failures.keys();
      if (this.#failures.size > MAX_REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
      return false;
    }
    const source = topicIn(topics, message.topic)?.source ?? homeassistantTopics;
    this.#note(source, message.topic, 'it could not be stored', message.payload, timeNow());
    return true;
  }

  #note({ name: protocol }: TopicSource, topic: string, problem: string, bytes: Buffer, now: number): void {
    this.#options.gateway.undecoded({ protocol, name: topic, address: this.#options.broker, problem, bytes, now });
  }
}

/** The device, and so the secret, is known only after decoding. */
function decryptedBy(source: TopicSource, message: TopicMessage, encrypted: SaidOnTopic): SaidOnTopic {
  const decoded = source.decode(message);
  return 'said' in decoded ? decoded : encrypted;
}
