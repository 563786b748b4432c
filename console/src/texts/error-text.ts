import type { ApiError } from '@trackway/client/api-error.ts';
import { messageFor, t } from './t.ts';

/** The message of an error of the API by its code. Errors without a code, and those of newer servers, are English. */
export const errorText = ({ code = '', message, details, retryAfter }: ApiError): string =>
  messageFor(t.errors, code, { seconds: retryAfter, ...(details as object | undefined) }) ?? message;
