import type { KnownTracker, TrackerGateway } from '../../calls.ts';
import { addressKey } from '../../platform/egress/ip.ts';
import type { FailureLimit } from '../http/rate-limit.ts';
import type { DecodedFrame, TrackerMemory, TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';

/** The mutable session that decoders see. */
export interface OpenSession extends TrackerSession {
  now: number;
  identity?: string;
  timeZone?: string;
  model?: string;
  memory: TrackerMemory;
}

/**
 * How long the result of a device lookup is reused. Whether it is still right is checked when a report is stored, but what
 * decides about commands is known by the lookup alone.
 */
const FRESH_MS = 5000;
const MOST_MEMORIES = 1000;
export const NO_MEMORY: TrackerMemory = {};

/** Finds devices, and limits addresses that fail often. */
export interface SpeakerContext {
  readonly gateway: TrackerGateway;
  /** Unknown identities and wrong keys per minute allowed for each address. */
  readonly failures: FailureLimit;
}

/** The origin of a frame. */
interface Circumstances {
  readonly protocol: TrackerProtocol;
  readonly transport: TrackerSession['transport'];
  readonly address: string;
  /** Whether one connection may report for many devices. */
  readonly mayChange: boolean;
  readonly now: number;
}

/** The sender of a conversation: its identifiers and key, and its device, if it may report. */
export class Speaker {
  readonly #context: SpeakerContext;
  readonly #session: OpenSession;
  #names: readonly string[] | undefined;
  #key: string | undefined;
  #known: KnownTracker | undefined;
  #checkedAt = 0;
  #memories: Map<string, TrackerMemory> | undefined;

  constructor(context: SpeakerContext, session: OpenSession) {
    this.#context = context;
    this.#session = session;
  }

  /** The device; undefined if it is not identified or may not report. */
  get known(): KnownTracker | undefined {
    return this.#known;
  }

  /** The last identifier that was sent. */
  get name(): string | undefined {
    return this.#names?.[0];
  }

  /** The device no longer exists. */
  forget(): void {
    this.#known = undefined;
  }

  /** Whether a frame identifies no other device, and its device was found recently. */
  isFresh({ identities, key }: DecodedFrame, now: number): boolean {
    if (identities !== undefined && !this.#isNamed(identities)) return false;
    if (key !== undefined && key !== this.#key) return false;
    return this.#names === undefined || (this.#known !== undefined && now - this.#checkedAt < FRESH_MS);
  }

  /** Finds the device of a frame. Any result except `accepted` ends the conversation. */
  async identify(decoded: DecodedFrame, from: Circumstances): Promise<'accepted' | 'refused' | 'another'> {
    const { gateway, failures } = this.#context;
    const { protocol, now } = from;
    const isSame = decoded.identities === undefined || this.#isNamed(decoded.identities);
    const names = decoded.identities ?? this.#names ?? [];
    const key = decoded.key ?? (isSame ? this.#key : undefined);
    const address = addressKey(from.address);
    const credential = key ?? names[0];
    if (credential === undefined) return 'accepted';
    if (failures.isRefused(address, now, credential)) return 'refused';
    const link = { protocol: protocol.name, transport: from.transport, address: from.address };
    const found = await gateway.find(names, key, link, protocol.commands);
    if (this.#known !== undefined && found?.deviceId !== this.#known.deviceId && !isSame && !from.mayChange)
      return 'another';
    if (!isSame) this.#swapMemory(names[0]);
    this.#names = names;
    this.#key = key;
    this.#known = found;
    this.#checkedAt = now;
    Object.assign(this.#session, { identity: found && names[0], timeZone: found?.timeZone, model: found?.model });
    if (found !== undefined) failures.succeeded(address, credential);
    else {
      failures.failed(address, now);
      gateway.noteUnknown({ protocol: protocol.name, names, address: from.address, now });
    }
    return 'accepted';
  }

  #isNamed(identities: readonly string[]): boolean {
    return identities.some((name) => this.#names?.includes(name));
  }

  /** Decoder memory belongs to one device. */
  #swapMemory(name: string | undefined): void {
    const before = this.name;
    if (before === undefined || name === undefined) return;
    this.#memories ??= new Map();
    const memories = this.#memories;
    memories.delete(before);
    if (memories.size >= MOST_MEMORIES) memories.delete(memories.keys().next().value!);
    memories.set(before, this.#session.memory);
    this.#session.memory = memories.get(name) ?? NO_MEMORY;
  }
}
