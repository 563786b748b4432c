import { EventStreamReader } from '@trackway/client/event-stream.ts';
import { BASES } from '@trackway/contract/operations.ts';
import { type LIVE_EVENTS, LIVE_PATH, type LiveEventName } from '@trackway/contract/resources/live.ts';
import { useEffect, useRef } from 'react';
import type { Static } from 'typebox';
import { createStore, useStore } from '../../store.ts';
import { freshToken, renew } from '../session.ts';
import { untilSeen, whenUnseenFor } from './seen.ts';

export type LiveEvent<K extends LiveEventName> = Static<(typeof LIVE_EVENTS)[K]>;
type Listener<K extends LiveEventName> = (event: LiveEvent<K>) => void;

/** `connecting` at first, `live`, or `away` while the stream is broken and being reconnected. */
export type LiveStatus = 'connecting' | 'live' | 'away';
export const liveStatus = createStore<LiveStatus>('connecting');
export const useLiveStatus = () => useStore(liveStatus);

const listeners = new Map<LiveEventName, Set<Listener<never>>>();

/** Calls `listener` for each event of this name until the returned function is called. */
export function onLive<K extends LiveEventName>(name: K, listener: Listener<K>): () => void {
  const those = listeners.get(name) ?? new Set();
  listeners.set(name, those);
  those.add(listener as Listener<never>);
  return () => those.delete(listener as Listener<never>);
}

/**
 * For components. Hundreds of positions may arrive per second: keep them in a separate store and show that
 * periodically.
 */
export function useLive<K extends LiveEventName>(name: K, listener: Listener<K>): void {
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => onLive(name, (event) => newest.current(event)), [name]);
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The server sends something at least this often; a stream that is silent for longer is dead. */
const SILENCE_MS = 60_000;
/** A hidden page stays connected for this long; when it is visible again it resumes the stream. */
const UNSEEN_MS = 20_000;

/** Follows the stream of everything that the signed-in user may see, until the returned function is called. */
export function followLive(): () => void {
  const stop = new AbortController();
  void follow(stop.signal);
  return () => stop.abort();
}

async function follow(stopped: AbortSignal): Promise<void> {
  let lastEventId: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  liveStatus.set('connecting');
  while (!stopped.aborted) {
    await untilSeen(stopped);
    const unseen = whenUnseenFor(UNSEEN_MS);
    try {
      await listen(AbortSignal.any([stopped, unseen.signal]), lastEventId, (id) => {
        lastEventId = id;
        waitMs = FIRST_WAIT_MS;
      });
    } catch {
      // After any failure, wait and resume.
    } finally {
      unseen.end();
    }
    if (stopped.aborted) return;
    if (unseen.signal.aborted) continue;
    liveStatus.set('away');
    await wait(waitMs * (0.75 + Math.random() / 2), stopped);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

async function listen(
  stopped: AbortSignal,
  lastEventId: string | undefined,
  onEventId: (id: string) => void,
): Promise<void> {
  const silence = new AbortController();
  // The stream continues when this token is renewed: it lasts as long as the session.
  const token = (await freshToken()) ?? '';
  const answer = await fetch(BASES.v1 + LIVE_PATH, {
    headers: {
      authorization: token,
      accept: 'text/event-stream',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
    signal: AbortSignal.any([stopped, silence.signal]),
  });
  if (answer.status === 401) await renew();
  if (!answer.ok || answer.body === null) throw new Error(`The stream answered ${answer.status}`);
  liveStatus.set('live');
  const reader = new EventStreamReader();
  const decoder = new TextDecoder();
  const pieces = answer.body.getReader();
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const { done, value } = await pieces.read().finally(() => clearTimeout(timer));
    if (done) return;
    for (const { name, data, id } of reader.read(decoder.decode(value, { stream: true }))) {
      if (id) onEventId(id);
      report(name as LiveEventName, data);
    }
  }
}

function report(name: LiveEventName, data: string): void {
  const those = listeners.get(name);
  if (those === undefined || those.size === 0) return;
  const event = JSON.parse(data) as never;
  for (const listener of those) listener(event);
}

const wait = (ms: number, stopped: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
