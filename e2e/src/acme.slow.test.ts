import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { PEBBLE_MISSING, pebblePlace } from '../../scripts/pebble.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { acmeSuite, freePort, type StartAuthority } from './acme/acme-suite.ts';

const pebble = pebblePlace();

const startPebble: StartAuthority = async (folder, ports) => {
  const [certificate, privateKey] = [join(folder, 'ca-server.pem'), join(folder, 'ca-server.key')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, '-keyout', privateKey, '-out', certificate, ...names], { stdio: 'pipe' });
  const [port, management] = [await freePort(), await freePort()];
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey,
    ...ports,
    retryAfter: { authz: 1, order: 1 },
  };
  writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble: settings }));
  const child = spawn(pebble!, ['-config', join(folder, 'pebble.json')], {
    // Some requests are refused, as a real authority may do.
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20' },
    stdio: 'ignore',
  });
  const directory = `https://127.0.0.1:${port}/dir`;
  await eventually('the authority answers', async () => {
    const asked = https.get(directory, { rejectUnauthorized: false, agent: false });
    const [answer] = await once(asked, 'response').catch(() => []);
    answer?.resume();
    return answer !== undefined;
  });
  return { directory, roots: certificate, stop: () => child.kill() };
};

acmeSuite(startPebble, pebble === undefined && PEBBLE_MISSING);
