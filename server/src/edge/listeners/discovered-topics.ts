import { type HomeEntity, type ReadConfig, readConfig } from '../protocols/homeassistant/entity.ts';
import { type HomeMessage, saidByEntities } from '../protocols/homeassistant/entity-report.ts';
import type { SaidOnTopic } from '../protocols/mqtt/source.ts';

/** Stores discovery messages, so that messages queued at the broker can be decoded after a restart. */
interface EntityMemory {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

interface DiscoveredTopicsOptions {
  readonly memory: EntityMemory;
  /** Whether a discovery message may refer to a topic: false for topics that are read anyway and for our own. */
  readonly isForeign: (topic: string) => boolean;
}

/** Maximum number of entities, because the number of discovery messages is unbounded. */
const MOST_ENTITIES = 2000;

/** The topics of entities that were discovered through Home Assistant. */
export class DiscoveredTopics {
  readonly #options: DiscoveredTopicsOptions;
  /** By the topic of their discovery message. */
  #entities = new Map<string, readonly HomeEntity[]>();
  #byTopic = new Map<string, HomeEntity[]>();
  #followed = new Set<string>();
  #saving: Promise<void> | undefined;
  #isChanged = false;
  /** Called with new topics, and with topics that no entity uses any more. */
  changed: (added: readonly string[], removed: readonly string[]) => void = () => {};

  constructor(options: DiscoveredTopicsOptions) {
    this.#options = options;
  }

  /** Loads entities discovered before this process started, or by another process. */
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

  /** Stores a discovery message, and resolves once it is durable. */
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

  /** Entities discovered during a save are saved together after it. */
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
