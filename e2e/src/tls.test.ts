import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import test, { after } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { trackway } from '../../cli/src/testing/trackway.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onOneEngine } from './harness/engines.ts';
import { ADMIN } from './harness/server-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'trackway-tls-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];

/** Makes a certificate of its own, and puts it in the place of the one before. */
function certify(): void {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,IP:127.0.0.2'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, '-keyout', `${key}.new`, '-out', `${cert}.new`, ...names], {
    stdio: 'pipe',
  });
  for (const file of [cert, key]) renameSync(`${file}.new`, file);
}
certify();

interface Asked {
  readonly agent?: https.Agent;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** Whom a request reached: the certificate and the connection, besides the answer. */
async function ask(url: string, { agent, body, headers }: Asked = {}) {
  const secure = url.startsWith('https:');
  const options = { method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json', ...headers } };
  const request = secure
    ? https.request(url, { ...options, agent: agent ?? false, rejectUnauthorized: false })
    : http.request(url, { ...options, agent: false });
  request.end(body && JSON.stringify(body));
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  const socket = response.socket as TLSSocket;
  const found = {
    port: socket.localPort,
    fingerprint: secure ? socket.getPeerCertificate().fingerprint256 : undefined,
  };
  const isJson = response.headers['content-type']?.startsWith('application/json');
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into.
  const answer = isJson ? ((await json(response)) as any) : response.resume() && undefined;
  return { ...found, status: response.statusCode, headers: response.headers, body: answer };
}

onOneEngine(
  'TLS from files',
  (running) => {
    after(() => rmSync(folder, { recursive: true }));
    const at = (path: string) => running.server.address + path;
    const signIn = async () => (await ask(at('/api/users/login'), { body: ADMIN })).body.id as string;

    test('serves HTTPS, and marks the cookie of a browser as secure', async () => {
      assert.match(running.server.address, /^https:\/\/127\.0\.0\.1:\d+$/);
      assert.match(running.server.output(), /Trackway is running at https:/);
      assert.equal((await ask(at('/healthz'))).status, 200);
      const words = ['health', '--port', new URL(running.server.address).port];
      assert.equal((await trackway([...words, '--tls-cert', cert])).code, 0);
      assert.equal((await trackway(words)).code, 1);
      const session = await ask(at('/session'), { body: { username: ADMIN.email, password: ADMIN.password } });
      assert.match(session.headers['set-cookie']![0]!, /; Secure/);
    });

    test('a renewed certificate is used by new connections, and open ones stay', async () => {
      const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
      const before = await ask(at('/healthz'), { agent });
      writeFileSync(cert, 'no certificate');
      await eventually('it says so', running.server.output, () => {
        void ask(at('/healthz')).catch(() => {});
        return /could not be read; the old one is used/.test(running.server.output());
      });
      assert.equal((await ask(at('/healthz'))).fingerprint, before.fingerprint, 'the old one stays');
      certify();
      await eventually('new connections get the new one', async () => {
        const { fingerprint } = await ask(at('/healthz'));
        return fingerprint !== before.fingerprint;
      });
      const later = await ask(at('/healthz'), { agent });
      assert.deepEqual([later.status, later.port, later.fingerprint], [200, before.port, before.fingerprint]);
      agent.destroy();
    });

    test('HTTP is redirected to the same path, and never to what is no host', async () => {
      const port = /"port":(\d+)[^\n]*HTTP is redirected|HTTP is redirected[^\n]*"port":(\d+)/.exec(
        running.server.output(),
      );
      const plain = `http://127.0.0.1:${port?.[1] ?? port?.[2]}`;
      const { status, headers } = await ask(`${plain}/devices?a=%2F`);
      assert.deepEqual([status, headers.location], [308, at('/devices?a=%2F')]);
      for (const host of ['evil.example/x', 'a@b', 'a b', '[evil'])
        assert.equal((await ask(plain, { headers: { host } })).status, 400, host);
    });

    test('HTTP/2 serves requests, reports, compressed and live answers; web sockets use HTTP/1.1', async (t) => {
      const authorization = await signIn();
      const made = await ask(at('/api/devices'), { headers: { authorization }, body: { name: 'by HTTP/2' } });
      const session = http2.connect(running.server.address, { rejectUnauthorized: false });
      t.after(() => session.destroy());
      const asked = (headers: http2.OutgoingHttpHeaders, body?: string) => {
        const stream = session.request(headers);
        stream.end(body);
        return once(stream, 'response').then(([answer]) => ({ stream, answer: answer as http2.IncomingHttpHeaders }));
      };
      const page = await asked({ ':path': '/docs' });
      assert.equal(page.answer[':status'], 200);
      assert.match(await text(page.stream), /<!doctype html>/i);
      const type = { 'content-type': 'application/json' };
      const live = await asked({ ':path': '/api/live', authorization });
      assert.equal(live.answer['content-type'], 'text/event-stream; charset=utf-8');
      const report = JSON.stringify({ lat: 50, lng: 8 });
      for (const length of [{}, { 'content-length': report.length }]) {
        const path = { ':path': '/ingest/reports', ':method': 'POST' };
        const { answer, stream } = await asked(
          { ...path, ...type, ...length, authorization: made.body.deviceKey },
          report,
        );
        assert.equal(answer[':status'], 200, await text(stream));
      }
      const list = await asked({ ':path': '/api/devices', authorization, 'accept-encoding': 'gzip' });
      assert.equal(list.answer[':status'], 200);
      const socket = await asked({ ':path': '/v2/chasm/ws', authorization });
      assert.deepEqual([socket.answer[':status'], socket.answer.upgrade], [426, undefined]);
      const signedIn = await asked(
        { ':path': '/session', ':method': 'POST', ...type, origin: running.server.address },
        JSON.stringify({ username: ADMIN.email, password: ADMIN.password }),
      );
      assert.match(signedIn.answer['set-cookie']![0]!, /; Secure/);
      const upgraded = new WebSocket(at('/v2/chasm/ws').replace('https:', 'wss:'), {
        headers: { authorization },
        rejectUnauthorized: false,
      });
      await once(upgraded, 'open');
      upgraded.terminate();
      live.stream.close();
    });

    test('trackers use the same certificate, and report by HTTP with TLS and without', async () => {
      const authorization = await signIn();
      const made = await ask(at('/api/devices'), { headers: { authorization }, body: { name: 'tracker' } });
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://127.0.0.1:${running.server.trackersPort}/ingest/osmand/${made.body.deviceKey}?lat=50&lon=8`;
        assert.equal((await ask(url)).status, 200, scheme);
      }
    });

    test('phones in the local network connect by TLS too', async () => {
      const authorization = await signIn();
      const headers = { authorization, 'content-type': 'application/json' };
      const put = https.request(at('/api/reach'), { method: 'PUT', headers, agent: false, rejectUnauthorized: false });
      put.end('{"isOpen":true}');
      const reach = await new Promise<http.IncomingMessage>((resolve) => put.once('response', resolve));
      const { addresses } = (await json(reach)) as { addresses: { url: string }[] };
      assert.equal(addresses[0]!.url, running.server.address.replace('127.0.0.1', '127.0.0.2'));
      assert.equal((await ask(`${addresses[0]!.url}/healthz`)).status, 200);
      assert.equal((await ask(`${addresses[0]!.url}/healthz`, { headers: { host: 'evil.example' } })).status, 421);
    });
  },
  { TRACKWAY_TLS_CERT: cert, TRACKWAY_TLS_KEY: key, TRACKWAY_REDIRECT_PORT: '0' },
);

test('a server does not start with a certificate that cannot be used, and doctor names one that expired', async (t) => {
  const made = mkdtempSync(join(tmpdir(), 'trackway-tls-'));
  t.after(() => rmSync(made, { recursive: true }));
  const file = (name: string) => join(made, name);
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost'];
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
  openssl('req', '-x509', ...curve, '-keyout', file('key'), '-out', file('cert'));
  openssl('req', '-x509', ...curve, '-keyout', file('other'), '-out', file('unused'));
  openssl('req', '-new', ...curve, '-keyout', file('oldKey'), '-out', file('request'));
  openssl('x509', '-req', '-in', file('request'), '-signkey', file('oldKey'), '-days', '-1', '-out', file('old'));
  const start = (settings: Record<string, string>) => trackway(['serve', '--port', '0'], { env: settings });
  for (const [cert, key, words] of [
    ['none', 'key', /TRACKWAY_TLS_CERT and TRACKWAY_TLS_KEY cannot be used: ENOENT/],
    ['key', 'key', /has no certificate in PEM format/],
    ['cert', 'cert', /has no private key in PEM format/],
    ['cert', 'other', /the key in .*other does not belong to the certificate in .*cert/],
  ] as const) {
    const { code, err } = await start({ TRACKWAY_TLS_CERT: file(cert), TRACKWAY_TLS_KEY: file(key) });
    assert.equal(code, 2);
    assert.match(err, words);
  }
  const lonely = await start({ TRACKWAY_REDIRECT_PORT: '80' });
  assert.match(lonely.err, /TRACKWAY_REDIRECT_PORT requires TRACKWAY_TLS_CERT/);
  const doctor = (cert: string, key: string) =>
    trackway(['doctor', '--data', file('data'), '--port', '0', '--tls-cert', file(cert), '--tls-key', file(key)]);
  const { code, out } = await doctor('old', 'oldKey');
  assert.equal(code, 1);
  assert.match(out, /FAIL {2}\S*old: The TLS certificate expired at \d{4}/);
  assert.match((await doctor('cert', 'key')).out, /ok {4}The certificate in \S*cert is valid until/);
});
