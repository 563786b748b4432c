import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '@trackway/simulator/random.ts';
import { EventSource } from '../../../e2e/src/harness/event-source.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import type { Account } from './account.ts';

/** How long it waits before it tries another node, after one did not answer or hung up. */
const AGAIN_MS = 100;

/** A reader of the live stream that goes from node to node, and resumes at each where it was at the one before. */
export class LiveListener {
  readonly #addresses: () => readonly string[];
  readonly #token: string;
  readonly #random: Random;
  /** How often each position was received, by its id. */
  readonly #received = new Map<number, number>();
  #resets = 0;
  #moves = 0;
  #lastId = '';
  #source: EventSource | undefined;
  #isStopped = false;
  #listening: Promise<void> = Promise.resolve();

  /** @param the current addresses of the nodes */
  constructor(addresses: () => readonly string[], token: string, random: Random) {
    this.#addresses = addresses;
    this.#token = token;
    this.#random = random;
  }

  /** Resolves once no later position can be missed. */
  async begin(): Promise<void> {
    this.#listening = this.#listen();
    await eventually('a stream begins', () => (this.#source?.lastId ?? '') !== '');
  }

  /** Hangs up wherever it is, as often within a report as between two. */
  move(): void {
    this.#source?.close();
  }

  /** Waits until all stored positions were received; counts missing ones and those received twice. */
  async end(place: string): Promise<Account & { readonly resets: number; readonly moves: number }> {
    const ids = await lookInto(place, async ({ query }) =>
      (await query.selectFrom('points').select('id').execute()).map(({ id }) => Number(id)),
    );
    const missing = () => {
      const current = new Set(this.#source?.of('position').map(({ data }) => data.id as number));
      return ids.filter((id) => !this.#received.has(id) && !current.has(id));
    };
    await eventually('all is received', missing, ({ length }) => length === 0).catch(() => {});
    this.#isStopped = true;
    this.move();
    await this.#listening;
    const doubled = [...this.#received].filter(([, times]) => times > 1);
    return {
      lost: missing().map((id) => `position ${id} was not streamed`),
      doubled: doubled.map(([id, times]) => `position ${id} was streamed ${times} times`),
      resets: this.#resets,
      moves: this.#moves,
    };
  }

  async #listen(): Promise<void> {
    while (!this.#isStopped) {
      const all = this.#addresses();
      const address = all[Math.floor(this.#random.between(0, all.length)) % all.length]!;
      const query = this.#lastId === '' ? '' : `?lastEventId=${encodeURIComponent(this.#lastId)}`;
      const source = new EventSource(address, query, { authorization: this.#token });
      this.#source = source;
      while (!source.isEnded) await pause(10);
      for (const { data } of source.of('position')) this.#received.set(data.id, (this.#received.get(data.id) ?? 0) + 1);
      this.#resets += source.of('reset').length;
      this.#source = undefined;
      if (source.lastId !== '') this.#lastId = source.lastId;
      this.#moves += 1;
      if (!this.#isStopped) await pause(AGAIN_MS);
    }
  }
}
