import type { Caller, LiveStreams } from '../calls.ts';
import { eventually } from './eventually.ts';

export interface Received {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into.
  readonly data: any;
}

/** A reader of a live stream, as a client would be, without a network. */
export class Listener {
  readonly received: Received[] = [];
  lastId = '';
  isEnded = false;
  /** Whether it accepts one more write and nothing after that. */
  isStalled = false;
  readonly #stream: ReturnType<LiveStreams['open']>;
  #isReading = true;

  /**
   * @param blocksEvery pauses after this many writes, as a slow network would
   */
  constructor(
    live: LiveStreams,
    caller: Caller,
    wanted: { devices?: readonly number[]; after?: string } = {},
    blocksEvery = 0,
  ) {
    let writes = 0;
    const sink = {
      write: (bytes: Uint8Array) => {
        if (this.#isReading) this.#read(Buffer.from(bytes).toString());
        writes++;
        if (this.isStalled) return false;
        if (blocksEvery === 0 || writes % blocksEvery !== 0) return true;
        setImmediate(() => this.#stream.drained());
        return false;
      },
      end: () => {
        this.isEnded = true;
      },
    };
    this.#stream = live.open(caller, wanted, sink);
  }

  /** Breaks the connection: anything sent after this never arrives. */
  close(): void {
    this.#isReading = false;
    this.#stream.end();
  }

  recover(): void {
    this.isStalled = false;
    this.#stream.drained();
  }

  /** Resolves once no later event can be missed. */
  ready(): Promise<void> {
    return this.until(({ lastId }) => lastId !== '', 'the stream to begin');
  }

  async until(isDone: (listener: this) => boolean, what = 'the stream'): Promise<void> {
    await eventually(`${what}; received ${this.received.length} events`, () => isDone(this));
  }

  #read(text: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
    this.lastId = field('id') ?? this.lastId;
    const [event, data] = [field('event'), field('data')];
    if (event !== undefined && data !== undefined)
      this.received.push({ id: this.lastId, event, data: JSON.parse(data) });
  }
}
