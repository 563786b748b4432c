import type { Split, TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { TrackerPort } from './context.ts';
import { isReadable, recognise, recogniseDatagram } from './recognise.ts';

/** The result of splitting received bytes. */
export interface IncomingFrames {
  readonly frames: readonly Buffer[];
  /** All split bytes, if some of them belong to no frame. */
  readonly lost?: Buffer;
  /** Bytes that match the start of no protocol. */
  readonly unknown?: Buffer;
}

const NOTHING = Buffer.alloc(0);
const NO_FRAMES: IncomingFrames = { frames: [] };
/** Maximum number of offsets tried in the remaining bytes after a silence, so that garbage costs little. */
const MOST_PLACES = 64;

/** Recognises the protocol of a connection and splits its bytes into frames. */
export class Incoming {
  readonly #port: TrackerPort;
  readonly #protocols: readonly TrackerProtocol[];
  readonly #isStream: boolean;
  #protocol: TrackerProtocol | undefined;
  /** The start of an incomplete frame. */
  #remaining: Buffer = NOTHING;
  /** How many of these bytes were inspected during the current silence. */
  #looked = 0;

  constructor(port: TrackerPort, protocols: readonly TrackerProtocol[], transport: 'tcp' | 'udp') {
    this.#port = port;
    this.#protocol = port.protocol;
    this.#protocols = protocols;
    this.#isStream = transport === 'tcp';
  }

  /** Undefined until it is recognised. */
  get protocol(): TrackerProtocol | undefined {
    return this.#protocol;
  }

  /** Returns the complete frames of a stream so far, or of a datagram. */
  cut(bytes: Buffer): IncomingFrames {
    const stream = this.#remaining.length === 0 ? bytes : Buffer.concat([this.#remaining, bytes]);
    this.#remaining = NOTHING;
    const protocol = this.#isStream ? this.#protocolOfStream(stream) : this.#protocolOfDatagram(stream);
    if (protocol === undefined) return this.#remaining.length > 0 ? NO_FRAMES : { frames: [], unknown: stream };
    this.#looked = 0;
    const isDatagram = !this.#isStream && protocol.splitDatagram !== undefined;
    return this.#keep(stream, isDatagram ? protocol.splitDatagram!(stream) : protocol.split(stream));
  }

  /** Whether there are uninspected bytes that a silence, or the end, may complete to a frame. */
  get mayHoldFrame(): boolean {
    return this.#remaining.length > this.#looked && this.#protocol !== undefined;
  }

  /** The remaining bytes of a stream: the start of an incomplete frame. */
  get remaining(): Buffer {
    return this.#remaining;
  }

  /**
   * Treats the remaining bytes of a stream as a frame, if the protocol has frames without an end mark. Otherwise they
   * may start with a damaged frame whose length is too large: then the next complete frame after its start is used.
   */
  cutRemaining(): IncomingFrames {
    const stream = this.#remaining;
    const protocol = this.#protocol!;
    const split = protocol.splitRemaining?.(stream);
    const isCut = split !== undefined && split.remaining.length < stream.length;
    const found = isCut ? split : nextWhole(protocol, stream);
    this.#remaining = NOTHING;
    const cut = this.#keep(stream, found ?? { frames: [], remaining: stream, skipped: 0 });
    this.#looked = this.#remaining.length;
    return cut;
  }

  clear(): void {
    this.#remaining = NOTHING;
  }

  #keep(stream: Buffer, { frames, remaining, skipped }: Split): IncomingFrames {
    if (this.#isStream && remaining.length > 0) this.#remaining = keptApart(remaining);
    return skipped > 0 || (!this.#isStream && remaining.length > 0) ? { frames, lost: stream } : { frames };
  }

  #protocolOfDatagram(datagram: Buffer): TrackerProtocol | undefined {
    if (this.#port.protocol !== undefined) return this.#port.protocol;
    this.#protocol = recogniseDatagram(this.#protocols, datagram);
    return this.#protocol;
  }

  #protocolOfStream(start: Buffer): TrackerProtocol | undefined {
    if (this.#protocol !== undefined) return this.#protocol;
    const found = recognise(this.#protocols, start);
    if (found === 'more') this.#remaining = keptApart(start);
    else this.#protocol = found;
    return this.#protocol;
  }
}

/** The frames after the start of an incomplete one. Undefined if none of them is readable. */
function nextWhole(protocol: TrackerProtocol, stream: Buffer): Split | undefined {
  for (let from = 1, places = 0; from < stream.length && places < MOST_PLACES; places++) {
    const split = protocol.split(stream.subarray(from));
    if (split.frames.some((frame) => isReadable(protocol, frame))) return { ...split, skipped: split.skipped + from };
    if (split.remaining.length === 0) return undefined;
    from = stream.length - split.remaining.length + 1;
  }
  return undefined;
}

/** A copy, so that a few bytes do not keep a whole read buffer in memory. */
function keptApart(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
