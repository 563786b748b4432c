import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LocatedPoint } from './voice.ts';
import { identityOf, VOICES } from './voices.ts';

const POINT: LocatedPoint = {
  timestamp: Date.parse('2026-03-05T10:20:30Z'),
  location: { lat: -33.8688, lng: 151.2093 },
  speed: 42,
  course: 90,
  altitude: 19,
  locationType: 'gps',
  sats: 9,
  batteryPct: 80,
  mode: 0,
};

test('frames are as vendors publish them', () => {
  assert.equal(VOICES.gt06.login!('123456789012345').toString('hex').slice(0, 24), '78780d010123456789012345');
  assert.equal(VOICES.teltonika.login!('356307042441013').toString('hex'), '000f333536333037303432343431303133');
  assert.equal(
    VOICES.h02.report('4109198974', [POINT], 1).toString(),
    '*HQ,4109198974,V1,102030,A,3352.1280,S,15112.5580,E,22.68,90,050326,FFFFFBFF#',
  );
  assert.match(
    VOICES.queclink.report('135790246811220', [POINT], 0x11f0).toString(),
    /,151\.209300,-33\.868800,20260305102030,.*,11F0\$$/,
  );
});

test('answers are understood wherever they are cut', () => {
  const answers = {
    teltonika: Buffer.from('0100000001', 'hex'),
    gt06: Buffer.from('787805010001d9dc0d0a787805220213 35a00d0a'.replaceAll(' ', ''), 'hex'),
    queclink: Buffer.from('+SACK:11F0$'),
    h02: Buffer.from('*HQ,4109198974,V4,V1,20260305102031#'),
  };
  for (const [name, bytes] of Object.entries(answers)) {
    const voice = VOICES[name as keyof typeof answers];
    const whole = voice.onData(bytes, false).answers;
    assert.equal(whole.at(-1), 'confirmed');
    for (let at = 1; at < bytes.length; at += 1) {
      const first = voice.onData(bytes.subarray(0, at), false);
      const second = voice.onData(Buffer.concat([first.remaining, bytes.subarray(at)]), first.answers.length > 0);
      assert.deepEqual([...first.answers, ...second.answers], whole, `${name} cut at ${at}`);
    }
  }
});

test('made-up IMEIs have a right check digit, and are all different', () => {
  assert.equal(identityOf('gt06', 1).imei, '359999000000018');
  assert.equal(new Set(Array.from({ length: 100 }, (_, index) => identityOf('gt06', index).imei)).size, 100);
});
