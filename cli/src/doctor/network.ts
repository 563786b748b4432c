import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '@trackway/server/settings.ts';
import { startFailure } from '../start-failure.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const ANSWER_MS = 3000;

/** `held`: whether a server is running on our data, which should then be the one on our port. */
export async function checkPort(settings: Settings, held: boolean | undefined): Promise<Finding> {
  const { host, port } = settings;
  if (port === 0) return ok('A free port is taken at each start.');
  const error = await listenOnce(host, port);
  if (error === undefined) {
    if (held)
      return warn(`Nothing listens on port ${port} of ${host}: the running server was started with another port.`);
    return ok(`Port ${port} of ${host} is free.`);
  }
  if (error.code !== 'EADDRINUSE') return fail(startFailure(error, settings));
  if (!(await isTrackway(host, port))) return fail(startFailure(error, settings));
  if (held === false)
    return fail(
      `Another Trackway, with other data, is on port ${port} of ${host}. Choose another port with TRACKWAY_PORT.`,
    );
  return ok(`A Trackway is on port ${port} of ${host} and is well.`);
}

async function listenOnce(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    server.close();
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

async function isTrackway(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok && ((await answer.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host);

export function checkExposure({ host, publicUrl, trustProxy }: Settings): Finding[] {
  const findings: Finding[] = [];
  if (isLoopback(host)) {
    findings.push(
      ok(publicUrl ? `People reach it at ${publicUrl}, by a proxy on this machine.` : 'Only this machine reaches it.'),
    );
  } else if (publicUrl === '') {
    findings.push(
      warn(
        'Other machines reach it, and TRACKWAY_PUBLIC_URL is not set: links it prints hold for this machine only. Without a proxy that speaks HTTPS, passwords and tokens travel readable.',
      ),
    );
  } else if (!publicUrl.startsWith('https:') && !isLoopback(new URL(publicUrl).hostname)) {
    findings.push(warn(`TRACKWAY_PUBLIC_URL is not https: passwords and tokens travel readable to ${publicUrl}.`));
  } else findings.push(ok(`People reach it at ${publicUrl}.`));
  findings.push(checkProxy(host, publicUrl, trustProxy));
  return findings;
}

function checkProxy(host: string, publicUrl: string, trustProxy: boolean): Finding {
  if (!trustProxy) {
    if (publicUrl !== '' && isLoopback(host))
      return warn(
        'TRACKWAY_TRUST_PROXY is off: behind a proxy every caller has the address of the proxy, and all share one limit for log-ins.',
      );
    return ok('Limits count the address that a request comes from (TRACKWAY_TRUST_PROXY is off).');
  }
  if (isLoopback(host)) return ok('Limits count the address that the proxy names in X-Forwarded-For.');
  return warn(
    'TRACKWAY_TRUST_PROXY is on and other machines reach it directly: whoever comes past the proxy can claim any address and escape the limits.',
  );
}
