import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { MAKERS, smsTexts } from './sms-texts.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../../docs/devices/trackers.md'), 'utf8');

test('the guide contains every SMS, in the row of its protocol', () => {
  for (const maker of MAKERS) {
    const rows = GUIDE.split('\n').filter((line) => line.startsWith(`| \`${maker.protocol}\` |`));
    for (const host of ['HOST', '1.2.3.4'])
      for (const text of smsTexts(maker, { host, port: 5010, apn: 'APN' }))
        assert.ok(
          rows.some((row) => row.includes(text.trim().replace(maker.byIp ? '' : '1.2.3.4', maker.byIp ? '' : 'HOST'))),
          `${maker.protocol}: ${text}`,
        );
  }
});

test('host, port and APN are filled in, and an IP address is sent as one', () => {
  const [gt06] = MAKERS;
  assert.deepEqual(smsTexts(gt06!, { host: 'track.example.com', port: 5010, apn: 'internet' }), [
    'APN,internet#',
    'SERVER,1,track.example.com,5010,0#',
    'TIMER,60,900#',
  ]);
  assert.equal(
    smsTexts(gt06!, { host: '203.0.113.5', port: 5023, apn: 'internet' })[1],
    'SERVER,0,203.0.113.5,5023,0#',
  );
});
