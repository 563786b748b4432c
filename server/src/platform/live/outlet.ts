import { type LaneRange, type LogBounds, type LogPosition, textOf } from './log-position.ts';

/** The connection that the bytes of a stream are written to. */
export interface Sink {
  /**
   * Returns false if it is full: the bytes are accepted, but the caller should wait for the drain before writing more.
   */
  write(bytes: Uint8Array, event?: StreamEvent): boolean;
  end(reason: EndReason): void;
}

/**
 * Why a stream ends: its reader disconnected or was too slow, lost its rights, or its token has ended; the server
 * stops; or an error occurred.
 */
type EndReason = 'left' | 'slow' | 'rights' | 'token' | 'stop' | 'failure';

/** Above this many queued bytes only the newest event of each kind stays queued. */
const CROWDED_BYTES = 64 * 1024;
/**
 * If more than this stays queued after thinning out, the stream ends; the reader can reconnect and resume. At most
 * twice as many bytes are queued.
 */
const NEEDED_BYTES = 512 * 1024;

/** The queue of one reader, bounded even if the reader never reads. */
export class Outlet {
  readonly #sink: Sink;
  readonly #ended: () => void;
  #waiting: StreamEvent[] = [];
  #bytes = 0;
  #crowdedAt = CROWDED_BYTES;
  #isFull = false;
  #isEnded = false;
  #ready: (() => void)[] = [];

  /**
   * @param ended called once, when either side ends the stream
   */
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

  /** Whether the queue is so long that callers should stop adding to it. */
  get isCrowded(): boolean {
    return this.#bytes > CROWDED_BYTES / 2;
  }

  /** Sends or queues an event, and thins out the queue if it gets too long. */
  send(event: StreamEvent): void {
    if (this.#isEnded) return;
    if (!this.#isFull) this.#write(event);
    else {
      this.#waiting.push(event);
      this.#bytes += event.bytes.length;
      if (this.#bytes > this.#crowdedAt) this.#thinOut();
    }
  }

  /** Sends bytes that are not an event; skips them if the reader is behind. */
  mention(bytes: Uint8Array): void {
    if (!this.#isEnded && !this.#isFull) this.#isFull = !this.#sink.write(bytes);
  }

  /** Call this when the reader accepts more bytes. */
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

  /**
   * For callers that build events on demand: resolves when there is room, the stream has ended, or the time is over.
   */
  async room(patienceMs = Number.POSITIVE_INFINITY): Promise<void> {
    if (!this.#isFull || this.#isEnded || patienceMs <= 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#ready.push(resolve);
      if (Number.isFinite(patienceMs)) timer = setTimeout(resolve, patienceMs).unref();
    });
    clearTimeout(timer);
  }

  end(reason: EndReason = 'left'): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = [];
    for (const go of this.#ready.splice(0)) go();
    this.#sink.end(reason);
    this.#ended();
  }

  #write(event: StreamEvent): void {
    this.#isFull = !this.#sink.write(event.bytes, event);
    if (event.isLast) this.end('rights');
  }

  #thinOut(): void {
    const newest = new Map<string, StreamEvent>();
    for (const event of this.#waiting) if (event.newestOf !== undefined) newest.set(event.newestOf, event);
    this.#waiting = this.#waiting.filter(
      (event) => event.newestOf === undefined || newest.get(event.newestOf) === event,
    );
    this.#bytes = this.#waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (this.#bytes > NEEDED_BYTES) this.end('slow');
    // Thinning out iterates over the whole queue, so it is repeated only when the queue has doubled.
    this.#crowdedAt = Math.max(CROWDED_BYTES, 2 * this.#bytes);
  }
}

const NO_DEVICES: readonly number[] = [];

/** An event of an entry of the log, built once for all readers. */
export interface LogEvent {
  readonly lane: number;
  readonly entry: number;
  /** Index among the events of its entry. */
  readonly index: number;
  /** Absent for the end of a stream, which is not an event. */
  readonly name?: string;
  /** JSON. */
  readonly data: string;
  /** The devices it is about, for sinks that need them. */
  readonly about: readonly number[];
  /** For a slow reader, only the newest of the events with the same value is sent. */
  readonly newestOf?: string;
  /** The stream ends after this event. */
  readonly isLast?: boolean;
}

/** An event in its wire format, with the reader's position after it. */
export interface StreamEvent extends Pick<LogEvent, 'name' | 'data' | 'about' | 'newestOf' | 'isLast'> {
  /** In the event stream format. */
  readonly bytes: Buffer;
  /** The position as text. */
  readonly id: string;
}

type Place = Pick<LogEvent, 'lane' | 'entry' | 'index'>;

export const logEvent = (
  { lane, entry, index }: Place,
  name: string,
  data: string,
  more: Partial<Pick<LogEvent, 'newestOf' | 'isLast' | 'about'>> = {},
): LogEvent => ({ lane, entry, index, name, data, about: NO_DEVICES, ...more });

/** Ends a stream without an event: a resuming reader continues from there. */
export const logEnd = ({ lane, entry, index }: Place): LogEvent => ({
  lane,
  entry,
  index,
  data: '',
  about: NO_DEVICES,
  isLast: true,
});

/** @param id the reader's position after the event */
export function streamEvent(
  id: string,
  { name, data, about = NO_DEVICES, newestOf, isLast }: Pick<LogEvent, 'data'> & Partial<LogEvent>,
): StreamEvent {
  const bytes = name === undefined ? commentAt(id) : Buffer.from(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);
  return { bytes, id, name, data, about, newestOf, isLast };
}

const commentAt = (id: string) => Buffer.from(`: \nid: ${id}\n\n`);

/** A comment without an event that contains the reader's current position, so that it can resume from there. */
export const positionComment = (place: LogPosition) => commentAt(textOf(place));
export const BEAT = Buffer.from(': \n\n');

/**
 * A durable log, and the events that each reader gets from it. Entries become visible in the order of their ids in
 * their lane: a reader that has seen one has seen all before it. `head` is a consistent snapshot of all lanes.
 */
export interface Source<Entry extends LaneEntry, Who> {
  head(): Promise<readonly number[]>;
  bounds(): Promise<LogBounds>;
  /** Returns up to `limit` entries, by lane and then by id. */
  read(ranges: readonly LaneRange[], limit: number): Promise<Entry[]>;
  /** Called before more entries than fit into one `prepare`, because later ones may affect earlier ones. */
  prepareMany(): void;
  /** Loads everything these readers need of the entries; the returned function uses only memory. */
  prepare(entries: readonly Entry[], readers: readonly Who[]): Promise<(who: Who) => Iterable<LogEvent>>;
}

export interface LaneEntry {
  readonly lane: number;
  readonly id: number;
}
