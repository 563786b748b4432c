import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { connect } from 'node:tls';
import type { CheckedPorts } from '../../../server/src/edge/integrations/testing/fake-authority.ts';
import { onSqlite } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { startInProcess } from '../harness/server-in-process.ts';

/** A certificate authority that checks domains at ports of this machine. */
export type StartAuthority = (
  folder: string,
  ports: CheckedPorts,
) => Promise<{ readonly directory: string; readonly roots: string; stop(): void }>;

const CLIENTS = 4;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** The certificate that a new connection gets; undefined if it fails. */
async function certificateAt(address: string) {
  const { port } = new URL(address);
  const options = { host: '127.0.0.1', port: Number(port), servername: 'localhost', rejectUnauthorized: false };
  const socket = connect(options);
  try {
    await once(socket, 'secureConnect');
    const { serialNumber, subjectaltname } = socket.getPeerCertificate();
    return { serialNumber, subjectaltname };
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Sends requests, some on new connections, until it is stopped. @returns how many failed */
async function requestUntil(address: string, isOver: () => boolean): Promise<number> {
  const kept = new https.Agent({ keepAlive: true, maxSockets: 1 });
  let failed = 0;
  for (let number = 0; !isOver(); number++) {
    const agent = number % 2 === 0 && kept;
    const asked = https.get(`${address}/healthz`, { rejectUnauthorized: false, agent });
    const [answer] = (await once(asked, 'response').catch(() => [])) as [http.IncomingMessage?];
    if (answer?.statusCode !== 200) failed++;
    if (answer) await once(answer.resume(), 'end');
  }
  kept.destroy();
  return failed;
}

/** Declares what must be true of the certificate of a domain with every authority. */
export function acmeSuite(startAuthority: StartAuthority, skip: string | false): void {
  onSqlite('a certificate by ACME', { migrations: [] }, (open) => {
    for (const challenge of ['HTTP-01', 'TLS-ALPN-01'])
      test(`is obtained by ${challenge}, stored encrypted, and renewed without a failed request`, {
        skip,
      }, async (t) => {
        const folder = mkdtempSync(join(tmpdir(), 'trackway-acme-'));
        t.after(() => rmSync(folder, { recursive: true, force: true }));
        const [httpPort, tlsPort] = [await freePort(), await freePort()];
        const authority = await startAuthority(folder, { httpPort, tlsPort });
        t.after(() => authority.stop());
        const place = await open.emptyPlace();
        const settings = {
          TRACKWAY_PORT: String(tlsPort),
          TRACKWAY_DOMAIN: 'localhost',
          TRACKWAY_ACME_EMAIL: 'admin@example.com',
          TRACKWAY_ACME_TERMS: 'true',
          TRACKWAY_ACME_DIRECTORY: authority.directory,
          TRACKWAY_ACME_ROOTS: authority.roots,
          ...(challenge === 'HTTP-01' && { TRACKWAY_REDIRECT_PORT: String(httpPort) }),
        };
        const startedAt = performance.now();
        let server = await startInProcess('sqlite', place, settings);
        t.after(() => server.stop());
        const first = await eventually('the certificate is used', () => {
          assert.doesNotMatch(server.output(), /No TLS certificate was obtained/);
          return certificateAt(server.address);
        });
        t.diagnostic(`the first certificate by ${challenge} after ${Math.round(performance.now() - startedAt)} ms`);
        assert.equal(first!.subjectaltname, 'DNS:localhost');
        const trackers = server.address.replace(/\d+$/, String(server.trackersPort));
        assert.deepEqual(await certificateAt(trackers), first, 'trackers use the same one');
        if (challenge === 'HTTP-01') {
          const path = '/.well-known/acme-challenge/unknown';
          const unknown = http.get(`http://127.0.0.1:${httpPort}${path}`, { agent: false });
          const [{ statusCode }] = (await once(unknown, 'response')) as [http.IncomingMessage];
          assert.equal(statusCode, 404);
        }
        const database = new DatabaseSync(join(String(place), 'trackway.db'), { timeout: 60_000 });
        t.after(() => database.close());
        const stored = (name: string) =>
          String(database.prepare('SELECT "value" FROM "settings" WHERE "name" = ?').get(name)?.value);
        // It ends after the certificate is in use.
        await eventually(
          'the challenge has ended',
          () => stored('acmeChallenge'),
          (text) => text === '',
        );
        const asked = connect({
          host: '127.0.0.1',
          port: tlsPort,
          servername: 'localhost',
          rejectUnauthorized: false,
          ALPNProtocols: ['acme-tls/1'],
        });
        await assert.rejects(once(asked, 'secureConnect'), 'no challenge is in progress');
        for (const name of ['acmeAccount', 'acmeCertificate']) assert.match(stored(name), /^sealed:/, name);
        await server.stop();
        server = await startInProcess('sqlite', place, settings);
        assert.deepEqual(await certificateAt(server.address), first, 'the stored one is used at once');

        const state = await eventually(
          'it has asked when to renew',
          () => JSON.parse(stored('acmeState')),
          ({ askAt }) => askAt > 0,
        );
        const due = JSON.stringify({ ...state, renewAt: 1 });
        database.prepare('UPDATE "settings" SET "value" = ? WHERE "name" = \'acmeState\'').run(due);
        let isRenewed = false;
        const clients = Array.from({ length: CLIENTS }, () => requestUntil(server.address, () => isRenewed));
        await eventually(
          'it is renewed',
          () => certificateAt(server.address),
          (found) => found!.serialNumber !== first!.serialNumber,
        ).finally(() => {
          isRenewed = true;
        });
        assert.deepEqual(await Promise.all(clients), Array(CLIENTS).fill(0));
      });
  });
}
