import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { createEgress } from './client.ts';
import { CERTIFICATE, KEY } from './testing/secure-test.ts';

const request = { headers: {}, body: 'x', deadlineMs: 20_000, signal: new AbortController().signal };

async function secureEnd(t: TestContext) {
  const names: unknown[] = [];
  const connections = new Set<unknown>();
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (incoming, response) => {
    names.push((incoming.socket as TLSSocket & { servername: unknown }).servername);
    connections.add(incoming.socket);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const egress = createEgress({ allowTargets: '127.0.0.1', lookup: async () => ['127.0.0.1'] });
  t.after(() => {
    egress.close();
    server.closeAllConnections();
    server.close();
  });
  return { egress, names, connections, port: (server.address() as AddressInfo).port };
}

test('a certificate must be trusted, and of the very name that was asked for', async (t) => {
  const { egress, names, connections, port } = await secureEnd(t);
  await assert.rejects(
    egress.post({ ...request, url: `https://secure.test:${port}/` }),
    /The TLS connection failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
  );
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, CERTIFICATE]);
  for (let i = 0; i < 3; i++) {
    assert.equal((await egress.post({ ...request, url: `https://secure.test:${port}/` })).status, 200);
  }
  for (const other of ['other.test', '127.0.0.1']) {
    await assert.rejects(
      egress.post({ ...request, url: `https://${other}:${port}/` }),
      /The TLS connection failed \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    );
  }
  assert.deepEqual(names, ['secure.test', 'secure.test', 'secure.test']);
  assert.equal(connections.size, 1, 'the one that was trusted was kept');
});

test('nothing is sent to what does not speak TLS', async (t) => {
  const received: Buffer[] = [];
  const server = createTcpServer((socket) => {
    socket.on('data', (bytes) => received.push(bytes));
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\n\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const egress = createEgress({ allowTargets: '127.0.0.1' });
  t.after(() => {
    egress.close();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await assert.rejects(egress.post({ ...request, url, body: 'a message' }), {
    message: /The TLS connection failed/,
    isUnclear: false,
  });
  assert.ok(!Buffer.concat(received).includes('a message'));
});
