import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodFrames } from '../protocols/trackers/testing/good-frames.ts';
import { trackerProtocols } from '../protocols/trackers/trackers.ts';
import { identifySample } from './identify-sample.ts';

const IMEI = '359999000000011';
const NOW = Date.parse('2021-07-13T11:00:00Z');
const identified = (data: string) => identifySample(trackerProtocols, data, NOW);

for (const { name, wellKnownPort } of trackerProtocols)
  test(`pasted bytes of ${name} are identified and decoded`, () => {
    const { login, position } = goodFrames(name, IMEI);
    const bytes = Buffer.concat([login, position]);
    const pasted = [
      bytes.toString('hex'),
      `0x${bytes
        .toString('hex')
        .toUpperCase()
        .replaceAll(/(..)(?=.)/g, '$1 ')}\n`,
    ];
    // A text field of a browser has no carriage returns.
    if (bytes.every((byte) => byte < 0x7f && (byte >= 0x20 || byte === 0x0a || byte === 0x0d)))
      pasted.push(bytes.toString('latin1').replaceAll('\r', '').trim());
    for (const data of pasted) {
      const found = identified(data);
      assert.equal(found.protocol, name, data);
      assert.equal(found.wellKnownPort, wellKnownPort);
      assert.equal(found.problem, null);
      assert.ok(found.identities.length > 0, 'it says who it is');
      const { location } = found.positions[0]!;
      assert.deepEqual([location.lat.toFixed(2), location.lng.toFixed(2)], ['52.50', '13.25']);
    }
  });

test('the reason is given where nothing is identified or decoded', () => {
  assert.equal(identified('hello world').problem, 'unknown');
  assert.equal(identified('78').problem, 'incomplete');
  const { login } = goodFrames('gt06', IMEI);
  assert.deepEqual(
    [identified(login.toString('hex').slice(0, -6))].map(({ protocol, problem }) => [protocol, problem]),
    [['gt06', 'incomplete']],
  );
  login[6]! ^= 0xff;
  const damaged = identified(login.toString('hex'));
  assert.deepEqual([damaged.protocol, damaged.problem, damaged.identities], ['gt06', 'unreadable', []]);
  assert.match(damaged.reasons[0]!, /checksum/);
});
