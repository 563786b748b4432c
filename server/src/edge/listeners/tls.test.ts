import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { CERTIFICATE, KEY } from '../../platform/egress/testing/secure-test.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { FailureLimit } from '../http/connections/failure-limit.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { callTracker } from './testing/caller.ts';
import { FakeDesk } from './testing/fake-desk.ts';
import { lineProtocol } from './testing/line-protocol.ts';
import { startTrackers } from './trackers.ts';

test('one port hears trackers with TLS and without; a certificate that can not be read is told at the start', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trackway-tls-'));
  t.after(() => rm(folder, { recursive: true }));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, CERTIFICATE);
  await writeFile(key, KEY);
  const desk = new FakeDesk();
  desk.known.set('one', { deviceId: 1 });
  const options = {
    host: '127.0.0.1',
    port: 0,
    fixed: [],
    protocols: [lineProtocol],
    connections: 0,
    perAddress: 0,
    idleMs: 600_000,
    desk,
    failures: new FailureLimit(0),
    limit: new RateLimit(0),
    log: watchfulLog,
  };
  const trackers = await startTrackers({ ...options, certificate: { cert, key } });
  t.after(() => trackers.stop());
  const port = trackers.port!;
  const secure = await callTracker(t, port, () => connect({ port, host: '127.0.0.1', rejectUnauthorized: false }));
  secure.say('@one\n+1,5,6\n');
  await secure.hears('hello\n1\n');
  const plain = await callTracker(t, port);
  plain.say('@one\n+2,5,6\n');
  await plain.hears('hello\n2\n');
  desk.hold();
  secure.say('+3,5,6\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const stopping = trackers.stop();
  desk.release();
  await stopping;
  await secure.closed();
  assert.equal(secure.heard(), 'hello\n1\n3\n', 'what was read is answered before the end');
  await assert.rejects(startTrackers({ ...options, certificate: { cert: join(folder, 'none'), key } }), /ENOENT/);
});
