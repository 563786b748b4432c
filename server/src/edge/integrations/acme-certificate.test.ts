import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../platform/log.ts';
import { eventually } from '../../testing/eventually.ts';
import { AcmeCertificate, type AcmeStorage, retryAfterMs } from './acme-certificate.ts';
import { certificateId } from './certificate-request.ts';
import { startFakeAuthority } from './testing/fake-authority.ts';

const DOMAIN = 'track.example.com';
const silent = createLog('error', { write() {} });

test('failures are repeated after five minutes, then less and less often', () => {
  assert.deepEqual(
    [1, 2, 3, 20].map((failures) => retryAfterMs(failures) / 60_000),
    [5, 10, 20, 720],
  );
});

/** What the nodes of an installation share, and which of them holds the lease. */
function sharedStorage() {
  const values = new Map<string, string>();
  let holder: object | undefined;
  const value = (name: string) => ({
    load: async () => values.get(name),
    save: async (text: string) => void values.set(name, text),
  });
  const storageOfNode = (): AcmeStorage => {
    const node = {};
    return {
      account: value('account'),
      certificate: value('certificate'),
      state: value('state'),
      challenge: value('challenge'),
      lease: {
        async hold() {
          holder ??= node;
          return holder === node;
        },
        async release() {
          if (holder === node) holder = undefined;
        },
      },
    };
  };
  const change = (state: object) =>
    values.set('state', JSON.stringify({ ...JSON.parse(values.get('state')!), ...state }));
  return { values, storageOfNode, change, state: () => JSON.parse(values.get('state')!) };
}

async function authorityFor(t: TestContext, challengeAnswer: (token: string) => Promise<string | undefined>) {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-authority-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const server = createServer((request, response) => {
    void challengeAnswer(request.url!.split('/').at(-1)!).then((answer) => response.end(answer ?? 'unknown'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close().closeAllConnections());
  const authority = await startFakeAuthority(folder, { httpPort: (server.address() as AddressInfo).port, tlsPort: 0 });
  t.after(authority.stop);
  return authority;
}

test('one node obtains a certificate, any other answers the challenge, and all use it', async (t) => {
  const { values, storageOfNode } = sharedStorage();
  const authority = await authorityFor(t, (token) => nodes[1]!.challengeAnswer(token));
  const nodes = await nodesOf(t, authority, [storageOfNode(), storageOfNode()]);
  for (const node of nodes) node.start();
  const [first] = await eventually(
    'both have it',
    () => nodes.map((node) => node.source()),
    (found) => found.every((one) => one !== undefined),
  );
  assert.equal(new X509Certificate(first!.cert).subjectAltName, `DNS:${DOMAIN}`);
  assert.equal(nodes[1]!.source()!.cert, first!.cert);
  assert.deepEqual([authority.orders.length, authority.contacts], [1, ['mailto:me@example.com']]);
  assert.deepEqual([values.get('challenge'), nodes[0]!.problem()], ['', undefined]);
});

test('a failure is reported and repeated later, soon after a restart', async (t) => {
  const { storageOfNode, state, change } = sharedStorage();
  let node: AcmeCertificate | undefined;
  const authority = await authorityFor(t, async (token) => node?.challengeAnswer(token));
  authority.isRefusing = true;
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  node!.start();
  const problem = await eventually(
    'it failed',
    () => node!.problem(),
    (found) => found !== undefined && /could not be obtained/.test(found.sentence),
  );
  assert.match(
    problem!.sentence,
    /No address was found for track\.example\.com\. The next attempt is at \d\d:\d\d UTC/,
  );
  assert.equal(problem!.isWarning, false);
  await node!.stop();

  change({ failures: 20, retryAt: Date.now() + 40_000_000 });
  authority.isRefusing = false;
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  assert.ok(state().retryAt <= Date.now() + 5 * 60_000, 'the operator may have solved the problem');
  change({ retryAt: 0 });
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  node!.start();
  await eventually('it is obtained', () => node!.source());
  await eventually('all is well', () => node!.problem() === undefined);
  assert.equal(state().failures, 0);
});

test('a certificate is renewed when the authority says, with a reference to the one before', async (t) => {
  const { storageOfNode, state, change } = sharedStorage();
  let node: AcmeCertificate | undefined;
  const authority = await authorityFor(t, async (token) => node?.challengeAnswer(token));
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  node!.start();
  const first = await eventually('it is obtained', () => node!.source());
  await eventually('it is stored completely', () => state().renewAt > 0);
  await node!.stop();
  const { validFrom, validUntil } = first!;
  const used = (state().renewAt - validFrom) / (validUntil - validFrom);
  assert.ok(Math.abs(used - 2 / 3) < 0.001, `without a suggestion after ${used} of its time`);

  const [start, end] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  authority.window = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
  change({ askAt: 0 });
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  node!.start();
  await eventually('it has asked', () => state().askAt > Date.now());
  assert.ok(state().renewAt >= start && state().renewAt <= end, 'at any time of the suggested period');
  assert.equal(authority.orders.length, 1);
  await node!.stop();

  change({ renewAt: 1 });
  [node] = await nodesOf(t, authority, [storageOfNode()]);
  node!.start();
  await eventually('it is renewed', () => node!.source()!.cert !== first!.cert);
  assert.equal(authority.orders[1]!.replaces, certificateId(first!.cert));
});

async function nodesOf(
  t: TestContext,
  { directory, roots }: { readonly directory: string; readonly roots: string },
  storages: readonly AcmeStorage[],
): Promise<AcmeCertificate[]> {
  const account = { domain: DOMAIN, email: 'me@example.com', directory, roots: readFileSync(roots, 'utf8') };
  return Promise.all(
    storages.map(async (storage) => {
      const options = { ...account, challenge: 'http-01' as const, storage, log: silent };
      const node = await new AcmeCertificate(options).open();
      t.after(() => node.stop());
      return node;
    }),
  );
}
