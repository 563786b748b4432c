import { ApiError } from '@trackway/client/api-error.ts';
import { type Client, createClient } from '@trackway/client/client.ts';
import { Failure, type Flags, type Given, UsageError } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
const ANSWERS_MS = 15_000;

/** Flags of the commands that call a running server. */
export const connectionFlags: Flags = {
  token: { about: 'Login token or personal access token. [env: TRACKWAY_TOKEN]', takes: 'TOKEN' },
  url: { about: `URL of the server. [env: TRACKWAY_URL] [default: ${DEFAULT_URL}]`, takes: 'URL' },
};

/** Calls the server and turns its errors into messages for the operator. */
export async function ask<T>(
  { flags }: Given,
  question: (client: Client) => Promise<T>,
  { retries = 0 } = {},
): Promise<T> {
  const url = flags.url ?? (process.env.TRACKWAY_URL || DEFAULT_URL);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError(`The server URL must look like ${DEFAULT_URL}, not ${JSON.stringify(url)}.`);
  const token = flags.token ?? process.env.TRACKWAY_TOKEN;
  try {
    // Retrying makes sense only for a server that was reachable before.
    if (retries > 0)
      await (await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(ANSWERS_MS) })).body?.cancel();
    return await question(createClient({ url, token, retries }));
  } catch (error) {
    if (error instanceof UsageError || error instanceof Failure) throw error;
    if (error instanceof ApiError) throw new Failure(refused(error, Boolean(token)), { cause: error });
    const reason = `Cannot reach Trackway at ${url}: ${unreached(error as Error)}.`;
    throw new Failure(`${reason} To name another server, use --url or TRACKWAY_URL.`, { cause: error });
  }
}

function refused({ status, code, message, details }: ApiError, hasToken: boolean): string {
  const lines = [`${status}${code ? ` ${code}` : ''}: ${message}`];
  if (details !== undefined) lines.push(JSON.stringify(details, null, 2));
  if (code === 'AUTHORIZATION_REQUIRED' && !hasToken)
    lines.push('Set a token with --token or TRACKWAY_TOKEN. To get one, run "trackway call login".');
  return lines.join('\n');
}

/** `fetch` wraps the actual error as its cause. */
function unreached(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' ? 'connection refused' : message || code || error.message;
}
