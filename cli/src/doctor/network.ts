import { once } from 'node:events';
import { createServer } from 'node:net';
import { certificateFilesOf } from '@trackway/server/app/from-settings.ts';
import type { Settings } from '@trackway/server/app/settings.ts';
import { readCertificate, validityProblem } from '@trackway/server/edge/http/certificate-files.ts';
import { isLoopback } from '@trackway/server/platform/egress/ip.ts';
import { readinessOf } from '../health.ts';
import { startFailure } from '../start-failure.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** `inUse`: whether a server is using our data. It should then be the one on our port. */
export async function checkPort(settings: Settings, inUse: boolean | undefined): Promise<Finding> {
  const { host, port } = settings;
  if (port === 0) return ok('A free port is chosen at each start.');
  const error = await listenOnce(host, port);
  if (error === undefined) {
    if (inUse)
      return warn(
        `No server is listening on port ${port} of ${host}. The running server was started with another port.`,
      );
    return ok(`Port ${port} of ${host} is free.`);
  }
  if (error.code !== 'EADDRINUSE') return fail(startFailure(error, settings));
  if (!(await readinessOf(settings).catch(() => undefined))) return fail(startFailure(error, settings));
  if (inUse === false)
    return fail(
      `Another Trackway server with other data is running on port ${port} of ${host}. Choose another port with TRACKWAY_PORT.`,
    );
  return ok(`Trackway is running on port ${port} of ${host} and responds.`);
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

/** Files that cannot be used are reported with the settings. */
export function checkCertificates({ tlsCert, tlsKey, trackersCert, trackersKey }: Settings, now: number): Finding[] {
  const given = [certificateFilesOf(tlsCert, tlsKey), certificateFilesOf(trackersCert, trackersKey)];
  return given
    .filter(({ cert }) => cert !== '')
    .map((files) => {
      const certificate = readCertificate(files);
      const problem = validityProblem(certificate, now);
      if (problem) return (problem.isWarning ? warn : fail)(`${files.cert}: ${problem.sentence}`);
      return ok(`The certificate in ${files.cert} is valid until ${new Date(certificate.validUntil).toISOString()}.`);
    });
}

export function checkExposure({ host, publicUrl, trustProxy, tlsCert }: Settings): Finding[] {
  const findings: Finding[] = [];
  if (isLoopback(host)) {
    findings.push(
      ok(
        publicUrl
          ? `The public URL is ${publicUrl}, served by a proxy on this machine.`
          : 'The server is reachable from this machine only.',
      ),
    );
  } else if (publicUrl === '') {
    findings.push(
      warn(
        `The server is reachable from other machines, but TRACKWAY_PUBLIC_URL is not set: links in messages work on this machine only.${tlsCert === '' ? ' Without TRACKWAY_TLS_CERT or an HTTPS proxy, passwords and tokens are sent unencrypted.' : ''}`,
      ),
    );
  } else if (!publicUrl.startsWith('https:') && !isLoopback(new URL(publicUrl).hostname)) {
    findings.push(
      warn(`TRACKWAY_PUBLIC_URL does not use HTTPS: passwords and tokens are sent to ${publicUrl} unencrypted.`),
    );
  } else findings.push(ok(`The public URL is ${publicUrl}.`));
  findings.push(checkProxy(host, publicUrl, trustProxy));
  return findings;
}

function checkProxy(host: string, publicUrl: string, trustProxy: string): Finding {
  if (trustProxy === '') {
    if (publicUrl !== '' && isLoopback(host))
      return warn(
        'TRACKWAY_TRUST_PROXY is off: behind a proxy, all requests have the address of the proxy and share one login limit.',
      );
    return ok('Rate limits use the address of the connection (TRACKWAY_TRUST_PROXY is off).');
  }
  if (isLoopback(host) || !/^\d+$/.test(trustProxy))
    return ok('Rate limits use the address in X-Forwarded-For, which the proxy sets.');
  return warn(
    'TRACKWAY_TRUST_PROXY is a number and the server is reachable from other machines: a request that bypasses the proxy can claim any address and evade the rate limits. Set the address ranges of the proxies instead.',
  );
}
