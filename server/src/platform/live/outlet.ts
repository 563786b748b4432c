import type { StreamEvent } from './event.ts';

/** Where the bytes of a stream go. */
export interface Sink {
  /** False where it is full; what is written then still counts, but more should wait until it is drained. */
  write(bytes: Uint8Array): boolean;
  end(): void;
}

/** Beyond this many waiting bytes only the newest event of each kind waits. */
const CROWDED_BYTES = 64 * 1024;
/** With more that are all needed the reader is given up: it can come back and resume. No more than twice as many wait. */
const NEEDED_BYTES = 512 * 1024;

/** What waits for one reader: bounded, whatever the reader does. */
export class Outlet {
  readonly #sink: Sink;
  readonly #ended: () => void;
  #waiting: StreamEvent[] = [];
  #bytes = 0;
  #crowdedAt = CROWDED_BYTES;
  #isFull = false;
  #isEnded = false;
  #ready: (() => void)[] = [];

  /** @param ended told once, when the stream ends from this side or that */
  constructor(sink: Sink, ended: () => void) {
    this.#sink = sink;
    this.#ended = ended;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Whether the reader is behind. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether one should rather not add to what waits. */
  get isCrowded(): boolean {
    return this.#bytes > CROWDED_BYTES / 2;
  }

  /** What waits is thinned out where it gets too much. */
  send(event: StreamEvent): void {
    if (this.#isEnded) return;
    if (!this.#isFull) this.#write(event);
    else {
      this.#waiting.push(event);
      this.#bytes += event.bytes.length;
      if (this.#bytes > this.#crowdedAt) this.#thinOut();
    }
  }

  /** What is no event and may be left out: not worth waiting for. */
  mention(bytes: Uint8Array): void {
    if (!this.#isEnded && !this.#isFull) this.#isFull = !this.#sink.write(bytes);
  }

  /** The reader takes more. */
  drained(): void {
    this.#isFull = false;
    let next = 0;
    while (next < this.#waiting.length && !this.#isFull && !this.#isEnded) {
      const event = this.#waiting[next++]!;
      this.#bytes -= event.bytes.length;
      this.#write(event);
    }
    this.#waiting = this.#waiting.slice(next);
    if (this.#waiting.length === 0) this.#crowdedAt = CROWDED_BYTES;
    if (!this.#isFull) for (const go of this.#ready.splice(0)) go();
  }

  /** For those who make events on demand: resolves when there is room, the stream has ended, or time is up. */
  async room(patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.#isFull || this.#isEnded || patienceMs <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#ready.push(resolve);
      if (Number.isFinite(patienceMs)) timer = setTimeout(resolve, patienceMs).unref();
    });
    clearTimeout(timer);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    for (const go of this.#ready.splice(0)) go();
    this.#sink.end();
    this.#ended();
  }

  #write(event: StreamEvent): void {
    this.#isFull = !this.#sink.write(event.bytes);
    if (event.isLast) this.end();
  }

  #thinOut(): void {
    const newest = new Map<string, StreamEvent>();
    for (const event of this.#waiting) if (event.newestOf !== undefined) newest.set(event.newestOf, event);
    this.#waiting = this.#waiting.filter(
      (event) => event.newestOf === undefined || newest.get(event.newestOf) === event,
    );
    this.#bytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (this.#bytes > NEEDED_BYTES) this.end();
    // Looking through everything pays only once it has grown by as much again.
    this.#crowdedAt = Math.max(CROWDED_BYTES, 2 * this.#bytes);
  }
}
