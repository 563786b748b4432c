import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERSION } from '../domain/service/info.ts';
import { createLog } from '../platform/log.ts';
import { eventually } from '../testing/eventually.ts';
import { isNewer, newerVersion } from './vitals.ts';

const DAY_MS = 86_400_000;

test('versions are compared by their numbers', () => {
  for (const [version, than, expected] of [
    ['0.2.0', '0.1.0', true],
    ['0.1.10', '0.1.9', true],
    ['1.0.0', '0.99.99', true],
    ['0.1.0', '0.1.0', false],
    ['0.9.0', '1.0.0', false],
  ] as const)
    assert.equal(isNewer(version, than), expected, `${version} ${than}`);
});

test('the address of updates is requested once a day, and anything but a version is no notice', async () => {
  const asked: string[] = [];
  const logged: string[] = [];
  let answer = { status: 200, headers: {}, text: '{"version":"v99.1.0"}' };
  const get = async ({ url }: { readonly url: string }) => {
    asked.push(url);
    return answer;
  };
  const newer = newerVersion({
    url: 'https://example.com/latest',
    egress: { get },
    log: createLog('warn', { write: (line) => void logged.push(line) }),
  });
  assert.deepEqual([asked.length, newer(0)], [0, null]);
  assert.equal(await eventually('it is answered', () => newer(1)), '99.1.0');
  newer(DAY_MS - 1);
  assert.deepEqual(asked, ['https://example.com/latest']);

  answer = { ...answer, text: `{"version":"${VERSION}"}` };
  newer(DAY_MS);
  await eventually('this version is the newest', () => newer(DAY_MS) === null);
  for (const text of ['no JSON', '{}', '{"version":"latest"}', '{"version":"1.2.3<script>"}']) {
    answer = { ...answer, text };
    const [before, day] = [logged.length, asked.length + 1];
    newer(day * DAY_MS);
    await eventually('it is logged', () => logged.length > before);
    assert.equal(newer(day * DAY_MS), null, text);
  }
});
