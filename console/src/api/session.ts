import { createStore, useStore } from '../store.ts';

/** Who is signed in, and by which token. */
export interface Session {
  readonly token: string;
  readonly userId: number;
  readonly expiresAt: number;
}

const KEY = 'trackway.session';

/** `ended`: the server did not know the token any more, so the viewer is told why they are asked again. */
export type SessionState = { readonly session: Session | undefined; readonly hasExpired: boolean };

export const sessionState = createStore<SessionState>({ session: kept(), hasExpired: false });

export const useSession = () => useStore(sessionState);
export const tokenNow = () => sessionState.get().session?.token;

export function beginSession(session: Session, staysSignedIn: boolean): void {
  forget();
  write(staysSignedIn ? localStorage : sessionStorage, JSON.stringify(session));
  sessionState.set({ session, hasExpired: false });
}

export function endSession(hasExpired = false): void {
  forget();
  sessionState.set({ session: undefined, hasExpired });
}

/** Signing out in one tab signs out the others. */
addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY && newValue === null && sessionStorage.getItem(KEY) === null)
    sessionState.set({ session: undefined, hasExpired: false });
});

function kept(): Session | undefined {
  for (const storage of [sessionStorage, localStorage]) {
    try {
      const session = JSON.parse(storage.getItem(KEY) ?? 'null') as Session | null;
      if (session && typeof session.token === 'string' && session.expiresAt > Date.now()) return session;
    } catch {
      // Storage that cannot be read means that nobody is signed in.
    }
  }
  return undefined;
}

function forget(): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(KEY);
}

function write(storage: Storage, text: string): void {
  try {
    storage.setItem(KEY, text);
  } catch {
    // Without storage the session lasts as long as the page.
  }
}
