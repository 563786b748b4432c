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
    /** The id to resume from. */
    readonly id: string | undefined;
    readonly data: Static<(typeof LIVE_EVENTS)[K]>;
  };
}[LiveEventName];

export interface LiveOptions {
  /** Only events of these devices. */
  readonly devices?: readonly number[];
  /** The id of the last handled event: later ones are sent first. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** A stream without data for this long is reopened. Defaults to 45 s; the server sends at least every 15 s. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 45_000;

/**
 * The events of the devices that the caller may see, as they happen: `for await (const { event, data } of
 * liveEvents(…))`. A broken stream is resumed where it broke. It ends with its signal, and rejects if the server
 * rejects it.
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

/** The connection is considered dead after a time without data. */
class Silence extends Error {}

async function* listen(
  client: ClientOptions,
  { devices, signal, silenceMs = SILENCE_MS }: LiveOptions,
  lastEventId: string | undefined,
  onEventId: (id: string | undefined) => void,
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
    onEventId(reader.lastId);
  }
}

/** Operations whose response is a text of any length. */
export type TextOperation = 'exportTrack' | 'exportAuditEntries';

/**
 * The lines of a response of any length, as they arrive: `for await (const line of textLines(options, 'exportTrack', {
 * id, format: 'csv' }))`.
 */
export async function* textLines<K extends TextOperation>(
  client: ClientOptions,
  name: K,
  input: Input<K>,
  more: Pick<CallOptions, 'signal'> = {},
): AsyncGenerator<string, void> {
  const response = await request(client, OPERATIONS[name], input as Given, more, more.signal);
  let remaining = '';
  for await (const text of textsOf(response, 0)) {
    const lines = (remaining + text).split('\n');
    remaining = lines.pop()!;
    yield* lines;
  }
  if (remaining !== '') yield remaining;
}

/** The pieces of a response. Ending the iteration closes the connection. */
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
