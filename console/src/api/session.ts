import { errorOf } from '@trackway/client/api-error.ts';
import { SESSION_ROUTES, type TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';
import { createStore, useStore } from '../store.ts';

/**
 * Who is signed in. A cookie that no script can read stands for the sign-in of this browser; each tab trades it for a
 * short token, which it keeps in memory alone.
 */
export interface Session {
  readonly token: string;
  readonly userId: number;
  /** Of the token, by this machine's clock. */
  readonly expiresAt: number;
  /** From then on a new token is asked for before the next call. */
  readonly renewAt: number;
  /** Whether an admin has to set up a second factor before anything else. */
  readonly lacksSecondFactor: boolean;
}

export interface SessionState {
  readonly session: Session | undefined;
  /** The server did not know the session any more, so the viewer is told why they are asked again. */
  readonly hasExpired: boolean;
  /** Whether the server was asked who is signed in. */
  readonly isKnown: boolean;
}

export const sessionState = createStore<SessionState>({ session: undefined, hasExpired: false, isKnown: false });

export const useSession = () => useStore(sessionState);
export const isSignedIn = () => sessionState.get().session !== undefined;

/** Calls one of the addresses that read the cookie. */
export async function askSession<Answer>(path: string, body: object = {}): Promise<Answer | undefined> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    credentials: 'same-origin',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw await errorOf(answer);
  return answer.status === 204 ? undefined : ((await answer.json()) as Answer);
}

/** A token that is good for the next call; a new one where the last is about to expire. */
export function freshToken(): string | undefined | Promise<string | undefined> {
  const { session } = sessionState.get();
  if (session === undefined || Date.now() < session.renewAt) return session?.token;
  return renew().then(
    () => sessionState.get().session?.token,
    // A server that cannot be reached now may still know the token when the call is made.
    () => session.token,
  );
}

let renewing: Promise<void> | undefined;

/** Trades the cookie for a token, once for all who ask at the same time. */
export function renew(): Promise<void> {
  renewing ??= trade().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

async function trade(): Promise<void> {
  const { session } = sessionState.get();
  const tab = await askSession<TabToken>(SESSION_ROUTES.token);
  if (tab === undefined) endSession(session !== undefined);
  else if (session !== undefined && session.userId !== tab.userId) startAnew();
  else takeToken(tab);
}

/** Somebody else signed in to this browser: nothing of what was shown is theirs. */
const startAnew = () => location.reload();

function takeToken({ token, userId, expiresIn, lacksSecondFactor }: TabToken): void {
  const now = Date.now();
  const times = { expiresAt: now + expiresIn * 1000, renewAt: now + expiresIn * 800 };
  const session = { token, userId, ...times, lacksSecondFactor: lacksSecondFactor === true };
  sessionState.set({ session, hasExpired: false, isKnown: true });
}

export function beginSession(tab: TabToken): void {
  takeToken(tab);
  tabs?.postMessage('began');
}

export function endSession(hasExpired = false): void {
  const { session, isKnown } = sessionState.get();
  if (session === undefined && isKnown) return;
  sessionState.set({ session: undefined, hasExpired, isKnown: true });
}

/** Ends the session in the other tabs, too. */
export function endSessionEverywhere(): void {
  endSession();
  tabs?.postMessage('ended');
}

/** Where earlier versions kept their token, for every script to read. */
try {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem('trackway.session');
} catch {
  // A browser without storage has kept nothing.
}

/** Tabs tell each other that someone signed in or out, so that none has to find out by a refusal. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('trackway.session');
tabs?.addEventListener('message', ({ data }) => {
  if (data === 'ended') endSession();
  else if (data === 'began') void renew().catch(() => undefined);
});

/** Whether the server could not be reached when the page was opened. */
export const isUnreachable = createStore(false);

/** Asks who is signed in when the page is opened; as long as the server cannot be reached, again and again. */
export async function resumeSession(waitMs = 500): Promise<void> {
  try {
    await renew();
    isUnreachable.set(false);
  } catch {
    isUnreachable.set(true);
    setTimeout(() => void resumeSession(Math.min(waitMs * 2, 10_000)), waitMs);
  }
}
