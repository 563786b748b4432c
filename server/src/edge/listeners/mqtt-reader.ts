import { setTimeout as pause } from 'node:timers/promises';
import type { ReportReceiver, TrackerDesk } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { homeassistantTopics } from '../protocols/mqtt/homeassistant-topics.ts';
import type { SaidOnTopic, TopicMessage, TopicSource } from '../protocols/mqtt/source.ts';
import type { DiscoveredTopics } from './discovered-topics.ts';
import { type ListenedTopics, topicIn } from './mqtt-setting.ts';
import { Repeats } from './repeats.ts';
import { reportOfRecords } from './report-of-records.ts';
import { StandingAlarms } from './standing-alarms.ts';

export type MqttDesk = Pick<ReportReceiver, 'deviceOfIdentifier' | 'secretOf'> &
  Pick<TrackerDesk, 'receive' | 'knocked' | 'undecoded'>;

export interface MqttReaderOptions {
  readonly topics: readonly ListenedTopics[];
  /** Where announcements for Home Assistant are read. */
  readonly discovered?: DiscoveredTopics;
  /** Host and port of the broker, by which what it brought is known. */
  readonly broker: string;
  readonly maxBytes: number;
  readonly limit: RateLimit;
  readonly desk: MqttDesk;
  readonly log: Log;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly isRetained: boolean;
}

interface ReadMessage extends TopicMessage {
  readonly source: TopicSource;
  readonly topic: string;
}

const PATIENCE_MS = [200, 1000, 3000];
/** After this many failures that are not the store's, the message is at fault: it must not stop all others for ever. */
const MAX_FAILURES = 5;
const MAX_REMEMBERED = 100;

/** Reads what the broker brings, side by side. Reports are handed on in the order of their messages. */
export class MqttReader {
  readonly #options: MqttReaderOptions;
  readonly #repeats = new Repeats();
  readonly #memory = { alarms: new StandingAlarms(), hearings: new Repeats() };
  readonly #failures = new Map<string, number>();
  /** Once the message before was handed on. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: MqttReaderOptions) {
    this.#options = options;
  }

  /** Whether the broker may forget it: it is durable, or nothing that could ever be stored. */
  async read(message: BrokerMessage, signal: AbortSignal): Promise<boolean> {
    const before = this.#turn;
    const { promise, resolve: handedOn } = Promise.withResolvers<void>();
    this.#turn = promise;
    await before;
    try {
      return await this.#patiently(message, signal, handedOn);
    } finally {
      handedOn();
    }
  }

  async #patiently(message: BrokerMessage, signal: AbortSignal, handedOn: () => void): Promise<boolean> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#take(message, timeNow(), handedOn);
        return true;
      } catch (error) {
        if (!(error instanceof StoreTrouble)) return this.#failed(message, error);
        const patience = PATIENCE_MS[attempt];
        if (patience === undefined || signal.aborted) return false;
        await pause(patience, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #take({ topic, payload, isRetained }: BrokerMessage, now: number, handedOn: () => void): Promise<void> {
    const { topics, discovered, maxBytes } = this.#options;
    const found = topicIn(topics, topic);
    const source = found?.source ?? homeassistantTopics;
    if (payload.length > maxBytes) return this.#note(source, topic, 'it is too large', payload, now);
    if (found === undefined) {
      // None where it was subscribed to under other settings.
      const said = discovered?.said({ topic, payload, isRetained, now }) ?? [];
      for (const [index, one] of said.entries()) {
        const isLast = index === said.length - 1;
        await this.#takeSaid(
          { source, levels: [], topic, payload, isRetained, now },
          one,
          isLast ? handedOn : () => {},
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
    return this.#takeSaid({ source, levels, topic, payload, isRetained, now }, decoded, handedOn);
  }

  async #takeSaid(message: ReadMessage, decoded: SaidOnTopic, handedOn: () => void): Promise<void> {
    const { desk, broker } = this.#options;
    const { source, topic, payload, now } = message;
    const identity = await this.#identityOf(decoded.names);
    if (identity === undefined)
      return desk.knocked({ protocol: source.name, names: decoded.names, address: broker, now });
    const { deviceId } = identity;
    const { repeated } = decoded;
    if (repeated !== undefined && !this.#repeats.isNews(repeated.sender, repeated.value, now)) return;
    if (this.#isOverLimit(deviceId, now))
      return this.#note(source, topic, 'more reports a minute than a device may send', payload, now);
    const { said } = decoded.isEncrypted ? await this.#decrypted(source, message, deviceId, decoded) : decoded;
    const report =
      'report' in said ? said.report : reportOfRecords(said.records, { deviceId, now, frame: payload }, this.#memory);
    // A door that opens, closes and opens again says the same words anew: they must not be taken for a repeat.
    const asSent = () => `${topic} ${payload.toString('latin1')}${repeated === undefined ? '' : ` ${now}`}`;
    if (repeated !== undefined) this.#repeats.told(repeated.sender, repeated.value, now);
    const receiving = desk.receive(identity, { ...report, asSent }, now);
    handedOn();
    try {
      const { outcome } = await receiving;
      if (outcome === 'gone') desk.knocked({ protocol: source.name, names: decoded.names, address: broker, now });
      if (outcome !== 'stored' && repeated !== undefined) this.#repeats.forget(repeated.sender);
    } catch (error) {
      // It comes again, and must not be taken for a repeat then.
      if (repeated !== undefined) this.#repeats.forget(repeated.sender);
      throw error;
    }
  }

  async #identityOf(names: readonly string[]) {
    for (const name of names) {
      const identity = await this.#options.desk.deviceOfIdentifier(name);
      if (identity !== undefined) return identity;
    }
    return undefined;
  }

  /** Which device it is, and so by which secret, is known only once it was decoded. */
  async #decrypted(
    source: TopicSource,
    message: TopicMessage,
    deviceId: number,
    encrypted: SaidOnTopic,
  ): Promise<SaidOnTopic> {
    const secret = await this.#options.desk.secretOf(deviceId);
    const decoded = secret === undefined ? encrypted : source.decode({ ...message, secret });
    return 'said' in decoded ? decoded : encrypted;
  }

  /** The broker can't be told to wait for one device only. */
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
    this.#options.desk.undecoded({ protocol, name: topic, address: this.#options.broker, problem, bytes, now });
  }
}
