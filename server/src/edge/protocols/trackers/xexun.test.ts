import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { TrackerSession } from './tracker.ts';
import { xexun } from './xexun.ts';

const ID = '123456789012345';
const sentence = ({ flag = 'A', lat = '5230.0000,N', lng = '01315.0000,E', said = 'F,', gap = '' } = {}) =>
  `GPRMC,104005.000,${flag},${lat},${lng},10.00,90.00,130721,,,A*5D${gap},${said},imei:${ID},`;
const status = ({ voltage = 'F:4.12V', charging = '0' } = {}) =>
  `05,34.5,${voltage},${charging},139,2689,262,01,2725,0576`;
const full = () => `210713124005,+491700000000,${sentence()}${status()}\r\n`;

const decode = (text: string, changes: Partial<TrackerSession> = {}) =>
  xexun.decode(Buffer.from(text), { ...anySession, ...changes });
const recordOf = (text: string) => decode(text).records[0]!;
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(xexun, [Buffer.from(`${full()}${full()}`), Buffer.from(`${sentence()}${sentence()}\r\n`)]);

test('a position in knots, of the device that the sentence ends with', () => {
  const { identities, records, reply } = decode(sentence());
  const { timestamp, location, isValid, speedKmh, courseDeg } = records[0]!;
  assert.deepEqual([identities, reply], [[ID], undefined]);
  assert.deepEqual([timestamp, location, isValid], [AT, { lat: 52.5, lng: 13.25 }, true]);
  assert.deepEqual([speedKmh, courseDeg], [18.52, 90]);
  assert.equal(recordOf(sentence({ flag: 'V' })).isValid, false);
  assert.deepEqual(recordOf(sentence({ lng: '15.0000,W' })).location, { lat: 52.5, lng: -0.25 });
  assert.equal(recordOf(sentence({ gap: '\r\n', said: 'L' })).timestamp, AT);
});

test('alarms are told in words', () => {
  const alarm = (said: string) => recordOf(sentence({ said: `F,${said}` })).alarms?.[0];
  assert.deepEqual(['help me!', 'low battery', 'move!', 'ACC On', 'ACC OFF', ''].map(alarm), [
    'sos',
    'lowBattery',
    'movement',
    'ignitionOn',
    'ignitionOff',
    undefined,
  ]);
  assert.deepEqual(recordOf(sentence({ said: 'F,ACC OFF' })).readings, [{ type: 'ignition', value: false }]);
});

test('the long form has satellites, altitude, the battery and the cell', () => {
  const record = recordOf(full());
  assert.deepEqual([record.sats, record.altitudeM, record.batteryVoltage, record.isCharging], [5, 34.5, 4.12, false]);
  assert.deepEqual(record.readings, [{ type: 'cell', value: { mcc: 262, mnc: 1, lac: 0x2725, cid: 0x576 } }]);
  assert.deepEqual(record.standingAlarms, []);
  const low = recordOf(`${sentence()}${status({ voltage: 'L:3.50V', charging: '1' })}`);
  assert.deepEqual([low.standingAlarms, low.isCharging], [['lowBattery'], true]);
});

test('a stream is cut after the number; what follows on the line is a status of the same moment', () => {
  const [first, second] = framesOf(xexun, [Buffer.from(full())]).map((hex) => Buffer.from(hex, 'hex').toString());
  assert.equal(first, sentence());
  assert.equal(second, status());
  const { remember } = decode(first!);
  const record = decode(second!, { memory: remember! }).records[0]!;
  assert.deepEqual([record.timestamp, record.batteryVoltage, record.location], [AT, 4.12, undefined]);
});

test('a sentence that was cut off does not take the number of the next', () => {
  const frames = framesOf(xexun, [Buffer.from(`${sentence().slice(0, 40)}${sentence()}`)]);
  assert.deepEqual(
    frames.map((hex) => Buffer.from(hex, 'hex').toString()),
    [sentence()],
  );
});

test('commands are the words of text messages', () => {
  const said = (name: 'engineStop' | 'engineResume' | 'reboot', parameters = {}) =>
    xexun.encode!({ name, parameters, number: 1 }, anySession)?.bytes.toString();
  const deviceReads = (text: string | undefined) => /^powercar(\w+) (11|00)$/.exec(text ?? '')?.slice(1);
  assert.deepEqual(deviceReads(said('engineStop')), ['123456', '11']);
  assert.deepEqual(deviceReads(said('engineResume', { password: '4711' })), ['4711', '00']);
  assert.equal(said('engineStop', { password: 'a b' }), undefined);
  assert.equal(said('reboot'), undefined);
  assert.equal(xexun.encode!({ text: 'check123456', number: 1 }, anySession)?.isSilent, true);
});
