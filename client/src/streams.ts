import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import { type LIVE_EVENTS, LIVE_PATH, type LiveEventName } from '@trackway/contract/resources/live.ts';
import type { Static } from 'typebox';
import { type ClientOptions, fetchFrom, type Given, request, tokenOf } from './client.ts';
import { EventStreamReader } from './event-stream.ts';
import type { CallOptions, Input } from './input.ts';
import { backOff, isPassing, wait } from './retry.ts';

/** An event of the live stream, by its name. */
export type LiveEvent = {
  [K in LiveEventName]: {
    readonly event: K;
    /** Where to resume from. */
    readonly id: string | undefined;
    readonly data: Static<(typeof LIVE_EVENTS)[K]>;
  };
}[LiveEventName];

export interface LiveOptions {
  /** Only events of these devices. */
  readonly devices?: readonly number[];
  /** The id of the last event that was handled: what came after it is sent first. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** A stream that says nothing for this long is opened again. Defaults to 45 s; the server speaks every 15 s. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 45_000;

/**
 * The events of the devices that the caller may see, as they happen: `for await (const { event, data } of liveEvents(…))`.
 * A stream that breaks is resumed where it broke. It ends with its signal, and rejects if the server refuses it.
 */
export async function* liveEvents(client: ClientOptions, options: LiveOptions = {}): AsyncGenerator<LiveEvent, void> {
  let { lastEventId } = options;
  for (let retry = 0; ; retry++) {
    try {
      yield* listen(client, options, lastEventId, (id) => {
        retry = 0;
        lastEventId = id ?? lastEventId;
      });
    } catch (error) {
      if (options.signal?.aborted) return;
      if (!isPassing(error) && !(error instanceof Silence)) throw error;
    }
    try {
      await wait(backOff(retry), options.signal);
    } catch {
      return;
    }
  }
}

/** Nothing came for so long that the connection is taken for dead. */
class Silence extends Error {}

async function* listen(
  client: ClientOptions,
  { devices, signal, silenceMs = SILENCE_MS }: LiveOptions,
  lastEventId: string | undefined,
  heard: (id: string | undefined) => void,
): AsyncGenerator<LiveEvent, void> {
  const silence = new AbortController();
  const query = new URLSearchParams();
  if (devices) query.set('devices', devices.join(','));
  if (lastEventId) query.set('lastEventId', lastEventId);
  const token = await tokenOf(client);
  const response = await fetchFrom(client, `${BASES.v1}${LIVE_PATH}?${query}`, {
    headers: { accept: 'text/event-stream', ...(token && { authorization: token }) },
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
  });
  const reader = new EventStreamReader();
  for await (const text of textsOf(response, silenceMs, () => silence.abort(new Silence()))) {
    for (const { name, data, id } of reader.read(text)) yield { event: name, id, data: JSON.parse(data) } as LiveEvent;
    heard(reader.lastId);
  }
}

/** Operations whose answer is a text of any length. */
export type TextOperation = 'exportTrack' | 'exportAuditEntries';

/**
 * The lines of an answer of any length, as they arrive: `for await (const line of textLines(options, 'exportTrack', { id,
 * format: 'csv' }))`.
 */
export async function* textLines<K extends TextOperation>(
  client: ClientOptions,
  name: K,
  input: Input<K>,
  more: Pick<CallOptions, 'signal'> = {},
): AsyncGenerator<string, void> {
  const response = await request(client, OPERATIONS[name], input as Given, more, more.signal);
  let rest = '';
  for await (const text of textsOf(response, 0)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The pieces of an answer. Whoever stops reading ends the connection. */
async function* textsOf(response: Response, silenceMs: number, isSilent = () => {}): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const pieces = response.body!.getReader();
  try {
    for (;;) {
      const timer = silenceMs > 0 ? setTimeout(isSilent, silenceMs) : undefined;
      const { done, value } = await pieces.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await pieces.cancel().catch(() => {});
  }
}
