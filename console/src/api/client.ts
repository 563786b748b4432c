import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@trackway/client/api-error.ts';
import { createClient } from '@trackway/client/client.ts';
import { freshToken, isSignedIn, renew } from './session.ts';

/** The API client of the signed-in user. */
export const client = createClient({ url: '', token: freshToken });

export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError;

/** Error codes for an unknown or expired token. */
const DEAD = ['AUTHORIZATION_REQUIRED', 'INVALID_TOKEN'];

/** Renews a token that the server no longer accepts. This ends the session here if it has ended there. */
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
      // A rejected request would be rejected again; a request that did not reach the server is repeated.
      retry: (failures, error) =>
        failures < RETRIES && !(isRefusal(error) && error.status < 500 && error.status !== 429),
    },
  },
});
