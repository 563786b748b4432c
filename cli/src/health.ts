import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { json } from 'node:stream/consumers';
import type { Settings } from '@trackway/server/app/settings.ts';
import { type Command, Failure } from './command.ts';
import { settingFlags, settingsOf } from './setting-flags.ts';

const ANSWER_MS = 3000;

export const command: Command = {
  describe: () => ({
    about:
      'Check whether the server on this machine is ready. The exit code is 0 if it is, otherwise 1: for the health check of a container or a monitor. It uses the same settings as the server.',
    flags: settingFlags(['host', 'port', 'tlsCert', 'domain']),
  }),

  async run(given) {
    const { values: settings, problems } = settingsOf(given);
    if (problems.length > 0) throw new Failure(problems.join('\n'));
    const { host, port } = settings;
    const { status, reasons } = await readinessOf(settings).catch((error: Error) => {
      throw new Failure(`No Trackway server responds on port ${port} of ${host}: ${error.message}.`);
    });
    if (status !== 'ok') throw new Failure(['The server is not ready.', ...(reasons ?? [])].join('\n'));
    console.log('The server is ready.');
    return 0;
  },
};

type Listening = Pick<Settings, 'host' | 'port' | 'tlsCert' | 'domain'>;

/** Asks the server with these settings for its readiness. Rejects if none answers, or a program of another kind. */
export async function readinessOf({
  host,
  port,
  tlsCert,
  domain,
}: Listening): Promise<{ status: string; reasons?: string[] }> {
  const hostname = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  // The certificate belongs to a name, not to this address.
  const options = {
    hostname,
    port,
    path: '/readyz',
    signal: AbortSignal.timeout(ANSWER_MS),
    rejectUnauthorized: false,
  };
  const [answer] = (await once((tlsCert === '' && domain === '' ? http : https).get(options), 'response')) as [
    http.IncomingMessage,
  ];
  const isJson = answer.headers['content-type']?.startsWith('application/json');
  const body = isJson ? ((await json(answer)) as { status: string }) : answer.resume() && undefined;
  if (typeof body?.status !== 'string') throw new Error('another program responded');
  return body;
}
