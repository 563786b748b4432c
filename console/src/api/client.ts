import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@trackway/client/api-error.ts';
import { createClient } from '@trackway/client/client.ts';
import { endSession, tokenNow } from './session.ts';

/** The API, as whoever is signed in. */
export const client = createClient({ url: '', token: tokenNow });

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError;

/** A token that the server does not know ends the session; the wrong password of a sign-in does not. */
function noticeExpiry(error: unknown): void {
  if (isRefusal(error) && error.status === 401 && error.code !== 'LOGIN_FAILED' && tokenNow() !== undefined)
    endSession(true);
}

const RETRIES = 2;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeExpiry }),
  mutationCache: new MutationCache({ onError: noticeExpiry }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the server refused it will refuse again; what did not reach it may.
      retry: (failures, error) =>
        failures < RETRIES && !(isRefusal(error) && error.status < 500 && error.status !== 429),
    },
  },
});
