import { errorOf } from '@trackway/client/api-error.ts';
import { SESSION_ROUTES, type TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';
import { createStore, useStore } from '../store.ts';

/**
 * The session. An HttpOnly cookie represents the sign-in of this browser; each tab exchanges it for a short-lived
 * token, which it keeps in memory only.
 */
export interface Session {
  readonly token: string;
  readonly userId: number;
  /** Expiry of the token, by this machine's clock. */
  readonly expiresAt: number;
  /** From this time a new token is requested before the next call. */
  readonly renewAt: number;
  /** Whether an admin must set up a second factor first. */
  readonly lacksSecondFactor: boolean;
}

export interface SessionState {
  readonly session: Session | undefined;
  /** The server no longer knew the session, so the sign-in page explains why it is shown. */
  readonly hasExpired: boolean;
  /** Whether the server has been asked for the session. */
  readonly isKnown: boolean;
}

export const sessionState = createStore<SessionState>({ session: undefined, hasExpired: false, isKnown: false });

export const useSession = () => useStore(sessionState);
export const isSignedIn = () => sessionState.get().session !== undefined;

/** Calls one of the routes that read the cookie. */
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

/** A valid token for the next call; a new one if the last is about to expire. */
export function freshToken(): string | undefined | Promise<string | undefined> {
  const { session } = sessionState.get();
  if (session === undefined || Date.now() < session.renewAt) return session?.token;
  return renew().then(
    () => sessionState.get().session?.token,
    // If the server is unreachable now, it may still accept the token when the call is made.
    () => session.token,
  );
}

let renewing: Promise<void> | undefined;

/** Exchanges the cookie for a token, once for all concurrent callers. */
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

/** Another user signed in to this browser: nothing of the shown data belongs to them. */
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

/** Ends the session in the other tabs as well. */
export function endSessionEverywhere(): void {
  endSession();
  tabs?.postMessage('ended');
}

/** Earlier versions stored their token here, readable by every script. */
try {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem('trackway.session');
} catch {
  // Without storage, there is nothing to remove.
}

/** Tabs notify each other of sign-in and sign-out, so that none notices it only by an error. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('trackway.session');
tabs?.addEventListener('message', ({ data }) => {
  if (data === 'ended') endSession();
  else if (data === 'began') void renew().catch(() => undefined);
});

/** Whether the server could not be reached when the page was opened. */
export const isUnreachable = createStore(false);

/** Asks for the session when the page is opened, and retries while the server cannot be reached. */
export async function resumeSession(waitMs = 500): Promise<void> {
  try {
    await renew();
    isUnreachable.set(false);
  } catch {
    isUnreachable.set(true);
    setTimeout(() => void resumeSession(Math.min(waitMs * 2, 10_000)), waitMs);
  }
}
