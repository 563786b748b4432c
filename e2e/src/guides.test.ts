import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { addressOf } from '../../server/src/edge/http/pages/reference/samples.js';
import { chapters } from '../../server/src/edge/http/reference/model.ts';
import { onOneEngine } from './harness/engines.ts';
import { adminOf } from './harness/people.ts';

/** The commands of the guides, as a reader would type them, from the first guide to the last. */

const FOLDER = join(import.meta.dirname, '../../docs/guides');
const GUIDES = ['first-call', 'filters', 'ingest', 'install-trackers', 'webhooks', 'errors'];

/** Printed after each block, to separate the outputs. */
const MARK = '-- end of block --';

const blocksOf = (guide: string, language = 'sh'): string[] =>
  [...readFileSync(join(FOLDER, `${guide}.md`), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, marked]) => marked === language)
    .map(([, , code]) => code!);

test('the guide to webhooks knows a genuine call from a forged one', async () => {
  const [code] = blocksOf('webhooks', 'js');
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code!)}`);
  const secret = `whsec_${Buffer.from('a secret of 24 bytes or so').toString('base64')}`;
  const headersOf = (body: string, at: Date) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,bm90IHRoaXMgb25l ${new Webhook(secret).sign('msg_1', at, body)}`,
  });
  const now = new Date();
  assert.equal(isGenuine(headersOf('{"a": 1}', now), '{"a": 1}', secret), true);
  assert.equal(isGenuine(headersOf('{"a": 1}', now), '{"a": 2}', secret), false, 'another body');
  const old = new Date(now.getTime() - 3_600_000);
  assert.equal(isGenuine(headersOf('{"a": 1}', old), '{"a": 1}', secret), false, 'an old call');
});

onOneEngine('the guides', (running) => {
  test('every command of them works as it is written', async () => {
    const { email, password } = await adminOf(running.api);
    const blocks = GUIDES.flatMap((guide) => blocksOf(guide).map((code) => ({ guide, code })));
    assert.ok(blocks.length > 12);
    const script = blocks.map(({ code }) => `${code}\necho; echo '${MARK}'`).join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -eu\n${script}`], {
      env: { PATH: process.env.PATH, TRACKWAY_URL: running.api.address, EMAIL: email, PASSWORD: password },
    });
    const outputs = stdout.split(MARK);
    for (const [index, { guide, code }] of blocks.entries()) {
      const output = outputs[index]!.trim();
      const received = `${guide}: ${code}\n→ ${output}`;
      if (code.includes('handling=strict')) assert.match(output, /Did you mean where\?/, received);
      else assert.doesNotMatch(output, /"statusCode"|"code":\d{3}/, received);
      if (/^curl/m.test(code)) assert.match(output, /[[{]/, received);
    }
    const answerTo = (part: string) => outputs[blocks.findIndex(({ code }) => code.includes(part))]!;
    assert.match(answerTo('/ingest/reports'), /"speed":42/, 'the first position is read');
    assert.match(answerTo('"like": "Van%"'), /"Van 3"/);
    assert.match(answerTo('points/count'), /"count":[1-9]/);
    assert.match(answerTo('/api/live'), /event: position/);
    assert.match(answerTo('/forwarders'), /"secret":"whsec_/);
    assert.match(answerTo('devices/trackers'), /"490154203237518","deviceId":\d+.*"356307042441013","deviceId":\d+/);
    assert.match(answerTo('"interval", "parameters"'), /"message":"interval seconds=30"/);
    const [first, second] = answerTo('Idempotency-Key').trim().split('}{');
    assert.equal(/"id":(\d+)/.exec(first!)![1], /"id":(\d+)/.exec(second!)![1], 'one message, answered twice');
  });

  test('the server understands the request of every read of the reference', async () => {
    const { token } = await adminOf(running.api);
    for (let count = 0; count < 8; count += 1) await running.api('POST', '/api/devices', { token, body: {} });
    const reads = chapters()
      .flatMap(({ operations }) => operations)
      .filter(
        ({ method, kind, asksFirst }) => method === 'GET' && kind !== 'socket' && kind !== 'stream' && !asksFirst,
      );
    assert.ok(reads.length > 80);
    for (const operation of reads) {
      const { status, text } = await running.api('GET', addressOf(operation, operation.filled), { token });
      // What the example names may not be there.
      assert.ok([200, 204, 404].includes(status), `${operation.name}: ${status} ${text}`);
    }
  });
});
