import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Caller, LiveStreams } from '../calls.ts';

export interface Told {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into.
  readonly data: any;
}

/** Someone who listens to a live stream, as a client would, without a network. */
export class Listener {
  readonly told: Told[] = [];
  lastId = '';
  isEnded = false;
  /** Whether it takes one more write and nothing after that. */
  isStalled = false;
  readonly #stream: ReturnType<LiveStreams['open']>;
  #hears = true;

  /** @param blocksEvery pauses after this many writes, as a slow network would */
  constructor(
    live: LiveStreams,
    caller: Caller,
    wanted: { devices?: readonly number[]; after?: string } = {},
    blocksEvery = 0,
  ) {
    let writes = 0;
    const sink = {
      write: (bytes: Uint8Array) => {
        if (this.#hears) this.#read(Buffer.from(bytes).toString());
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

  /** The connection breaks: what is sent from here on never arrives. */
  close(): void {
    this.#hears = false;
    this.#stream.end();
  }

  recover(): void {
    this.isStalled = false;
    this.#stream.drained();
  }

  /** Resolves once nothing that happens from now on can be missed. */
  ready(): Promise<void> {
    return this.until(({ lastId }) => lastId !== '', 'the stream to begin');
  }

  async until(isDone: (listener: this) => boolean, what = 'the stream'): Promise<void> {
    const deadline = performance.now() + 5000;
    while (!isDone(this)) {
      assert.ok(performance.now() < deadline, `waited in vain for ${what}; heard ${JSON.stringify(this.told)}`);
      await pause(5);
    }
  }

  #read(text: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
    this.lastId = field('id') ?? this.lastId;
    const [event, data] = [field('event'), field('data')];
    if (event !== undefined && data !== undefined) this.told.push({ id: this.lastId, event, data: JSON.parse(data) });
  }
}
