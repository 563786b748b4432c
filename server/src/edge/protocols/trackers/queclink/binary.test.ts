import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession } from '../protocol-suite.ts';
import { queclink } from './queclink.ts';

/** IMEI 123456789012345, in bytes of two digits. */
const IMEI = '0c22384e5a0c2205';
const LOCATION = '01000168005a0022ffca2f700321162007e507070a2805010600010102030400';

/** A frame as a device makes it. */
function frameOf(head: string, type: number, content: string): Buffer {
  const body = Buffer.from(`45010202 09${IMEI}${content}0000000d0a`.replaceAll(' ', ''), 'hex');
  const frame = Buffer.concat([Buffer.from(head), Buffer.from([type, 0, 0xfc, 0x1f, 0xbf, 0, 0]), body]);
  frame.writeUInt16BE(frame.length, 9);
  return frame;
}

const STATUS = '5a2ee04107';
const decode = (frame: Buffer) => queclink.decode(frame, anySession);

test('reports of the binary mode have places, and events skip what their type adds', () => {
  for (const frame of [
    frameOf('+RSP', 7, `${STATUS}0001${LOCATION}`),
    frameOf('+EVT', 45, `${STATUS}00000100000010` + `01${LOCATION}`),
    frameOf('+BSP', 7, `${STATUS}0001${LOCATION}`),
  ]) {
    assert.deepEqual(queclink.split(Buffer.concat([frame, frame])).frames.length, 2);
    const { identities, records, problem } = decode(frame);
    assert.equal(problem, undefined);
    assert.deepEqual(identities, ['123456789012345']);
    const [record] = records;
    assert.deepEqual(record?.location, { lat: 52.5, lng: -3.5268 });
    assert.deepEqual(
      [record?.isValid, record?.speedKmh, record?.courseDeg, record?.altitudeM, record?.sats, record?.batteryPct],
      [true, 36, 90, 34, 7, 90],
    );
    assert.equal(record?.timestamp, Date.parse('2021-07-07T10:40:05Z'));
    assert.ok(record?.readings?.some(({ type, value }) => type === 'ext_voltage' && value === 12));
  }
});

test('records of the newer binary mode are read by the numbers of their values', () => {
  const place = '29ffca2f700321162060e582e5016816005a00015407';
  const record = `21${'60e582e5'}0189500052${'16'}${place}`;
  const body = `00${'0123456789012345'}8203000300 00${record}010ff824`.replaceAll(' ', '');
  const length = (body.length / 2 + 4).toString(16).padStart(4, '0');
  const frame = Buffer.from(`2b00${length}${body}`, 'hex');
  assert.equal(queclink.recognise(frame), 'yes');
  assert.equal(queclink.split(Buffer.concat([frame, frame])).frames.length, 2);
  const { identities, records, problem } = decode(frame);
  assert.deepEqual([identities, problem], [['123456789012345'], undefined]);
  const [first] = records;
  assert.deepEqual([first?.location, first?.isValid], [{ lat: 52.5, lng: -3.5268 }, true]);
  assert.deepEqual(
    [first?.speedKmh, first?.hdop, first?.courseDeg, first?.altitudeM, first?.sats],
    [36, 2.2, 90, 34, 7],
  );
  assert.equal(first?.timestamp, Date.parse('2021-07-07T10:33:09Z'));
});

test('a compressed way has a place for each second, as the change of the one before', () => {
  // 90.5 km/h to the east; a second that says nothing; 0.5 km/h slower, 2 degrees to the left, 1 south and 3 west.
  const [absolute, nothing, change] = ['67125a ffca2f70 03211620 60e582e5', '00', 'beff7fefff'];
  const way = `0003${absolute}${nothing}${change}`.replaceAll(' ', '');
  const frame = frameOf('+RSP', 100, `5a2ee0 41 07 ${way} f402680003189c3553`);
  const { identities, records, problem } = decode(frame);
  assert.deepEqual([identities, problem], [['123456789012345'], undefined]);
  const at = Date.parse('2021-07-07T10:33:09Z');
  assert.deepEqual(
    records.map(({ timestamp, location, speedKmh, courseDeg }) => [timestamp! - at, location, speedKmh, courseDeg]),
    [
      [0, { lat: 52.5, lng: -3.5268 }, 90.5, 90],
      [2000, { lat: 52.499999, lng: -3.526803 }, 90, 88],
    ],
  );
  assert.deepEqual([records[1]?.sats, records[1]?.batteryPct], [7, 90]);
});

test('what has another form is told, and its device is known all the same', () => {
  const { identities, records, problem } = decode(frameOf('+EVT', 99, `${STATUS}${LOCATION}`));
  assert.deepEqual([identities, records.length], [['123456789012345'], 0]);
  assert.ok(problem !== undefined);
});
