import { ApiError } from '@trackway/client/api-error.ts';
import { type Client, createClient } from '@trackway/client/client.ts';
import { Failure, type Flags, type Given, UsageError } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Of commands that talk to a running server. */
export const connectionFlags: Flags = {
  token: { about: 'Of a log-in, or a personal one. TRACKWAY_TOKEN', takes: 'TOKEN' },
  url: { about: `Where the server is. TRACKWAY_URL [${DEFAULT_URL}]`, takes: 'URL' },
};

/** Asks the server, and says what it refuses in sentences. */
export async function ask<T>({ flags }: Given, question: (client: Client) => Promise<T>): Promise<T> {
  const url = flags.url ?? (process.env.TRACKWAY_URL || DEFAULT_URL);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`The address of the server must be like ${DEFAULT_URL}, not ${JSON.stringify(url)}.`);
  const token = flags.token ?? process.env.TRACKWAY_TOKEN;
  try {
    return await question(createClient({ url, token }));
  } catch (error) {
    if (error instanceof UsageError || error instanceof Failure) throw error;
    if (error instanceof ApiError) throw new Failure(refused(error, Boolean(token)), { cause: error });
    throw new Failure(`No Trackway answers at ${url}: ${unreached(error as Error)}.`, { cause: error });
  }
}

function refused({ status, code, message, details }: ApiError, hasToken: boolean): string {
  const lines = [`${status}${code ? ` ${code}` : ''}: ${message}`];
  if (details !== undefined) lines.push(JSON.stringify(details, null, 2));
  if (code === 'AUTHORIZATION_REQUIRED' && !hasToken)
    lines.push('Give a token with --token or TRACKWAY_TOKEN; "trackway call login" gets one.');
  return lines.join('\n');
}

/** `fetch` wraps what happened. */
function unreached(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : message || code || error.message;
}
