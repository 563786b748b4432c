import type { Split, TrackerProtocol } from '../protocols/trackers/tracker.ts';
import type { TrackerPort } from './office.ts';
import { recognise, recogniseDatagram } from './recognise.ts';

/** What bytes that came turn out to be. */
export interface IncomingFrames {
  readonly frames: readonly Buffer[];
  /** All of what was cut, where some of it belongs to no frame. */
  readonly lost?: Buffer;
  /** What no protocol begins with. */
  readonly unknown?: Buffer;
}

const NOTHING = Buffer.alloc(0);
const NO_FRAMES: IncomingFrames = { frames: [] };

/** Finds out which protocol is spoken, and cuts what comes into its frames. */
export class Incoming {
  readonly #port: TrackerPort;
  readonly #protocols: readonly TrackerProtocol[];
  readonly #isStream: boolean;
  #protocol: TrackerProtocol | undefined;
  /** The beginning of a frame that is not whole yet. */
  #rest: Buffer = NOTHING;
  /** How much of it was looked at in the silence since. */
  #looked = 0;

  constructor(port: TrackerPort, protocols: readonly TrackerProtocol[], transport: 'tcp' | 'udp') {
    this.#port = port;
    this.#protocol = port.protocol;
    this.#protocols = protocols;
    this.#isStream = transport === 'tcp';
  }

  /** Undefined while it is not known. */
  get protocol(): TrackerProtocol | undefined {
    return this.#protocol;
  }

  /** The frames of a stream, as far as it has come, or of a datagram. */
  cut(bytes: Buffer): IncomingFrames {
    const stream = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = NOTHING;
    const protocol = this.#isStream ? this.#protocolOfStream(stream) : this.#protocolOfDatagram(stream);
    if (protocol === undefined) return this.#rest.length > 0 ? NO_FRAMES : { frames: [], unknown: stream };
    this.#looked = 0;
    const isDatagram = !this.#isStream && protocol.splitDatagram !== undefined;
    return this.#keep(stream, isDatagram ? protocol.splitDatagram!(stream) : protocol.split(stream));
  }

  /** Whether there is something that silence, or the end, may show to be a frame, and that was not looked at yet. */
  get mayHoldFrame(): boolean {
    return this.#rest.length > this.#looked && this.#protocol?.splitRest !== undefined;
  }

  /** Takes what is left of a stream for a frame, where one can be without an end of its own. */
  cutRest(): IncomingFrames {
    this.#looked = this.#rest.length;
    const stream = this.#rest;
    this.#rest = NOTHING;
    return this.#keep(stream, this.#protocol!.splitRest!(stream));
  }

  clear(): void {
    this.#rest = NOTHING;
  }

  #keep(stream: Buffer, { frames, rest, skipped }: Split): IncomingFrames {
    if (this.#isStream && rest.length > 0) this.#rest = keptApart(rest);
    return skipped > 0 || (!this.#isStream && rest.length > 0) ? { frames, lost: stream } : { frames };
  }

  #protocolOfDatagram(datagram: Buffer): TrackerProtocol | undefined {
    if (this.#port.protocol !== undefined) return this.#port.protocol;
    this.#protocol = recogniseDatagram(this.#protocols, datagram);
    return this.#protocol;
  }

  #protocolOfStream(start: Buffer): TrackerProtocol | undefined {
    if (this.#protocol !== undefined) return this.#protocol;
    const found = recognise(this.#protocols, start);
    if (found === 'more') this.#rest = keptApart(start);
    else this.#protocol = found;
    return this.#protocol;
  }
}

/** A copy, so that a few bytes do not keep a whole read in memory. */
function keptApart(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
