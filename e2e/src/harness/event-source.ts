import assert from 'node:assert/strict';
import { Agent, get, type IncomingMessage } from 'node:http';
import { LIVE_EVENTS, type LiveEventName } from '@trackway/contract/resources/live.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { mismatch } from './json-schema.ts';

export interface LiveEvent {
  readonly id: string;
  readonly event: LiveEventName;
  // biome-ignore lint/suspicious/noExplicitAny: the check against the contract knows its type.
  readonly data: any;
}

/** A live stream as a browser reads it. Every event is checked against the contract. */
export class EventSource {
  readonly events: LiveEvent[] = [];
  lastId = '';
  isEnded = false;
  response: IncomingMessage | undefined;
  readonly #request: ReturnType<typeof get>;
  #text = '';

  constructor(address: string, query: string, headers: Record<string, string> = {}) {
    // A separate connection, because the stream occupies it for as long as it lasts.
    this.#request = get(`${address}/api/live${query}`, { headers, agent: new Agent() }, (response) => {
      this.response = response;
      response.setEncoding('utf8').on('data', (chunk) => this.#read(chunk));
      response.on('close', () => {
        this.isEnded = true;
      });
      response.on('error', () => {});
    });
    this.#request.on('error', () => {
      this.isEnded = true;
    });
  }

  /** Stops reading from the network, so that events are queued at the server. */
  stall(): void {
    this.response!.pause();
  }

  close(): void {
    this.#request.destroy();
  }

  async until(isDone: (source: this) => boolean, what: string): Promise<void> {
    await eventually(
      what,
      () => this.events,
      () => isDone(this),
    );
  }

  /** Resolves once no later event can be missed. */
  ready(): Promise<void> {
    return this.until(({ lastId }) => lastId !== '', 'the stream to begin');
  }

  of(event: LiveEventName): LiveEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  #read(chunk: string): void {
    const blocks = (this.#text + chunk).split('\n\n');
    this.#text = blocks.pop()!;
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      this.lastId = field('id') ?? this.lastId;
      const [event, text] = [field('event') as LiveEventName | undefined, field('data')];
      if (event === undefined || text === undefined) continue;
      const data = JSON.parse(text);
      const wrong = mismatch(LIVE_EVENTS[event], data, undefined, event);
      assert.equal(wrong, undefined, `${wrong}\n${block}`);
      this.events.push({ id: this.lastId, event, data });
    }
  }
}
