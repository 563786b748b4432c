import type { KnownTracker, TrackerDesk } from '../../calls.ts';
import { addressKey } from '../../platform/address-key.ts';
import type { FailureLimit } from '../http/connections/failure-limit.ts';
import type { DecodedFrame, TrackerMemory, TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';

/** The session that decoders see, as it is changed. */
export interface OpenSession extends TrackerSession {
  now: number;
  identity?: string;
  timeZone?: string;
  model?: string;
  memory: TrackerMemory;
}

/** How long an identity that was found is believed. */
const FRESH_MS = 5000;
const MOST_MEMORIES = 1000;
export const NO_MEMORY: TrackerMemory = {};

/** Who knows the devices, and the addresses that fail often. */
export interface SpeakerOffice {
  readonly desk: TrackerDesk;
  /** Unknown identities and wrong keys allowed for each address. */
  readonly failures: FailureLimit;
}

/** Where a frame came from. */
export interface Circumstances {
  readonly protocol: TrackerProtocol;
  readonly address: string;
  /** Whether one connection may speak for many devices. */
  readonly mayChange: boolean;
  readonly now: number;
}

/** Who speaks in a conversation: by what names and key, and which device that is, if it may report. */
export class Speaker {
  readonly #office: SpeakerOffice;
  readonly #session: OpenSession;
  #names: readonly string[] | undefined;
  #key: string | undefined;
  #known: KnownTracker | undefined;
  #checkedAt = 0;
  #memories: Map<string, TrackerMemory> | undefined;

  constructor(office: SpeakerOffice, session: OpenSession) {
    this.#office = office;
    this.#session = session;
  }

  /** The device; undefined where nobody has said who it is, or who may not report. */
  get known(): KnownTracker | undefined {
    return this.#known;
  }

  /** By what it was named last. */
  get name(): string | undefined {
    return this.#names?.[0];
  }

  /** The device is there no more. */
  forget(): void {
    this.#known = undefined;
  }

  /** Whether a frame names nobody else, and whoever it names was found just now. */
  isFresh({ identities, key }: DecodedFrame, now: number): boolean {
    if (identities !== undefined && !this.#isNamed(identities)) return false;
    if (key !== undefined && key !== this.#key) return false;
    return this.#names === undefined || (this.#known !== undefined && now - this.#checkedAt < FRESH_MS);
  }

  /** Finds the device that a frame names. Anything but `heard` ends the conversation. */
  async identify(decoded: DecodedFrame, from: Circumstances): Promise<'heard' | 'refused' | 'another'> {
    const { desk, failures } = this.#office;
    const { protocol, now } = from;
    const isSame = decoded.identities === undefined || this.#isNamed(decoded.identities);
    const names = decoded.identities ?? this.#names ?? [];
    const key = decoded.key ?? (isSame ? this.#key : undefined);
    const address = addressKey(from.address);
    const credential = key ?? names[0];
    if (credential === undefined) return 'heard';
    if (failures.isRefused(address, now, credential)) return 'refused';
    const found = await desk.find(names, key, protocol.commands);
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
      desk.knocked({ protocol: protocol.name, names, address: from.address, now });
    }
    return 'heard';
  }

  #isNamed(identities: readonly string[]): boolean {
    return identities.some((name) => this.#names?.includes(name));
  }

  /** What a decoder remembers is of one device. */
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
