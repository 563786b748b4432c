import { type HomeEntity, type ReadConfig, readConfig } from '../protocols/homeassistant/entity.ts';
import { type HomeMessage, saidByEntities } from '../protocols/homeassistant/entity-report.ts';
import type { SaidOnTopic } from '../protocols/mqtt/source.ts';

/** Keeps what was announced, so that after a restart the messages that waited at the broker are understood. */
export interface EntityMemory {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

export interface DiscoveredTopicsOptions {
  readonly memory: EntityMemory;
  /** Whether a topic may be read by an announcement: not what is read anyway, and not what we publish. */
  readonly isForeign: (topic: string) => boolean;
}

/** Entities that are remembered; whoever may announce could announce without end. */
const MOST_ENTITIES = 2000;

/** The topics of which entities are announced for Home Assistant. */
export class DiscoveredTopics {
  readonly #options: DiscoveredTopicsOptions;
  /** By the topic of their announcement. */
  #entities = new Map<string, readonly HomeEntity[]>();
  #byTopic = new Map<string, HomeEntity[]>();
  #followed = new Set<string>();
  #saving: Promise<void> | undefined;
  #isChanged = false;
  /** Called with topics that are new, and with those that nobody announces any more. */
  changed: (added: readonly string[], removed: readonly string[]) => void = () => {};

  constructor(options: DiscoveredTopicsOptions) {
    this.#options = options;
  }

  /** What was announced before this process began, or by way of another one. */
  async load(): Promise<void> {
    const text = await this.#options.memory.load();
    const stored = JSON.parse(text ?? '[]') as [string, HomeEntity[]][];
    this.#entities = new Map(stored);
    this.#index();
    this.#followed = new Set(this.topics);
  }

  get topics(): string[] {
    return [...this.#byTopic.keys()];
  }

  /** Takes an announcement in, and resolves once it is durable. */
  async learn(topic: string, levels: readonly string[], payload: Buffer): Promise<ReadConfig> {
    const read = readConfig(levels, payload, this.#options.isForeign);
    if (!('entities' in read)) return read;
    const before = this.#entities.get(topic) ?? [];
    const count = [...this.#entities.values()].reduce((sum, some) => sum + some.length, 0);
    if (count - before.length + read.entities.length > MOST_ENTITIES) return { problem: 'too many entities' };
    if (JSON.stringify(before) !== JSON.stringify(read.entities)) {
      if (read.entities.length === 0) this.#entities.delete(topic);
      else this.#entities.set(topic, read.entities);
      this.#index();
      this.#isChanged = true;
    }
    await this.#save();
    this.#follow();
    return read;
  }

  said(message: HomeMessage): SaidOnTopic[] {
    const entities = this.#byTopic.get(message.topic);
    return entities === undefined ? [] : saidByEntities(entities, message);
  }

  /** What is announced while something is saved is saved together, after it. */
  async #save(): Promise<void> {
    while (this.#isChanged) {
      if (this.#saving !== undefined) await this.#saving;
      else {
        this.#isChanged = false;
        this.#saving = this.#options.memory
          .save(JSON.stringify([...this.#entities]))
          .catch((error) => {
            this.#isChanged = true;
            throw error;
          })
          .finally(() => {
            this.#saving = undefined;
          });
        await this.#saving;
      }
    }
    await this.#saving;
  }

  #follow(): void {
    const added = this.topics.filter((topic) => !this.#followed.has(topic));
    const removed = [...this.#followed].filter((topic) => !this.#byTopic.has(topic));
    this.#followed = new Set(this.topics);
    if (added.length + removed.length > 0) this.changed(added, removed);
  }

  #index(): void {
    this.#byTopic = new Map();
    for (const entity of [...this.#entities.values()].flat())
      for (const topic of new Set([entity.stateTopic, entity.attributesTopic])) {
        if (topic === undefined) continue;
        const some = this.#byTopic.get(topic);
        if (some) some.push(entity);
        else this.#byTopic.set(topic, [entity]);
      }
  }
}
