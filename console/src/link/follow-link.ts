import type { ShownLink } from '@trackway/contract/resources/link.ts';
import { createStore } from '../store.ts';

/** Polls the data of the link; the page makes no other requests. */

const PACE_MS = 5000;
const CROWDED_MS = 30_000;
const TIMEOUT_MS = 15_000;

export interface LinkState {
  readonly kind: 'waiting' | 'shown' | 'ended' | 'incomplete' | 'crowded';
  readonly shown?: ShownLink;
  /** Offset of the server's clock from this one, ms. */
  readonly aheadMs: number;
  /** Whether the last request failed. */
  readonly isAway: boolean;
}

export const linkState = createStore<LinkState>({ kind: 'waiting', aheadMs: 0, isAway: false });

/** Handle and secret. The secret follows `#`: browsers never send it, not even as a referrer. */
function keyIn({ pathname, hash }: Location): { handle: string; secret: string } | undefined {
  const handle = /^\/l\/(\w{1,64})\/?$/.exec(pathname)?.[1];
  const secret = /^#(\w{1,128})$/.exec(hash)?.[1];
  return handle && secret ? { handle, secret } : undefined;
}

/** Follows the link of the page's address while the page is visible. */
export function followLink(): void {
  const key = keyIn(location);
  addEventListener('hashchange', () => location.reload());
  if (key === undefined) {
    linkState.set((before) => ({ ...before, kind: 'incomplete' }));
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  let viewing: string | undefined;

  async function ask(): Promise<void> {
    clearTimeout(timer);
    if (isAsking || document.hidden) return;
    isAsking = true;
    const nextMs = await look().catch(() => {
      linkState.set((before) => ({ ...before, isAway: true }));
      return PACE_MS;
    });
    isAsking = false;
    if (nextMs !== undefined) timer = setTimeout(() => void ask(), nextMs);
  }

  /** Milliseconds until the next request; undefined if there is nothing more to request. */
  async function look(): Promise<number | undefined> {
    const answer = await fetch('/api/links/open', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'omit',
      cache: 'no-store',
      body: JSON.stringify({ ...key, ...(viewing && { viewing }) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) {
      const shown = (await answer.json()) as ShownLink;
      viewing = shown.viewing;
      linkState.set({ kind: 'shown', shown, aheadMs: Date.parse(shown.now) - Date.now(), isAway: false });
      return PACE_MS;
    }
    if (answer.status === 429) {
      linkState.set((before) => (before.kind === 'shown' ? before : { ...before, kind: 'crowded', isAway: false }));
      return CROWDED_MS;
    }
    if (answer.status >= 500) throw new Error('The server is in trouble');
    // The shown data is no longer for this viewer.
    linkState.set({ kind: 'ended', aheadMs: 0, isAway: false });
    return undefined;
  }

  document.addEventListener('visibilitychange', () => void ask());
  addEventListener('online', () => void ask());
  void ask();
}
