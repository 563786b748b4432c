import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@trackway/client/api-error.ts';
import { createClient } from '@trackway/client/client.ts';
import { freshToken, isSignedIn, renew } from './session.ts';

/** The API, as whoever is signed in. */
export const client = createClient({ url: '', token: freshToken });

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError;

/** What the server says of a token that it does not know, or not any more. */
const DEAD = ['AUTHORIZATION_REQUIRED', 'INVALID_TOKEN'];

/** A token that the server does not know any more is renewed, which ends the session here where it has ended there. */
function noticeExpiry(error: unknown): void {
  if (isRefusal(error) && error.status === 401 && DEAD.includes(error.code ?? '') && isSignedIn())
    void renew().catch(() => undefined);
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
