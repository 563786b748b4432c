import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crcModbus } from './bytes.ts';
import { galileosky } from './galileosky.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import type { CommandName, TrackerRecord } from './tracker.ts';

const IMEI = '862057047745531';
const WHEN = Date.parse('2024-05-06T07:08:09Z');

const le = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  if (value < 0) buffer.writeIntLE(value, 0, bytes);
  else buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};
const tag = (number: number, ...values: readonly Buffer[]) => Buffer.concat([Buffer.from([number]), ...values]);

function frameOf(content: Buffer, header = 0x01, isMore = false): Buffer {
  const body = Buffer.concat([Buffer.from([header]), le(content.length + (isMore ? 0x8000 : 0), 2), content]);
  return Buffer.concat([body, le(crcModbus(body, 0, body.length), 2)]);
}

const HEAD = Buffer.concat([
  tag(0x01, le(0x82, 1)),
  tag(0x02, le(16, 1)),
  tag(0x03, Buffer.from(IMEI)),
  tag(0x04, le(50, 2)),
]);
const recordTags = (number: number, ...more: readonly Buffer[]) =>
  Buffer.concat([
    tag(0x04, le(50, 2)),
    tag(0x10, le(number, 2)),
    tag(0x20, le(WHEN / 1000, 4)),
    tag(0x30, le(0x0c, 1), le(-16_664_611, 4), le(96_299_373, 4)),
    tag(0x33, le(425, 2), le(2703, 2)),
    tag(0x34, le(-22, 2)),
    tag(0x35, le(4, 1)),
    ...more,
  ]);

const decode = (frame: Buffer, more = {}) => galileosky.decode(frame, { ...anySession, ...more });
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));
const crcOf = (frame: Buffer) => frame.subarray(-2).toString('hex');

protocolSuite(galileosky, [
  frameOf(HEAD),
  Buffer.concat([
    frameOf(HEAD),
    frameOf(recordTags(1)),
    frameOf(Buffer.concat([recordTags(2), recordTags(3)]), 0x01, true),
  ]),
  frameOf(Buffer.concat([tag(0x03, Buffer.from(IMEI)), recordTags(1)])),
]);

test('the first packet names the device, and is answered at once', () => {
  const frame = frameOf(HEAD);
  const decoded = decode(frame);
  assert.deepEqual([decoded.identities, decoded.records], [[IMEI], []]);
  assert.deepEqual([decoded.reply?.when, decoded.reply?.bytes.toString('hex')], ['now', `02${crcOf(frame)}`]);
});

test('records are confirmed by their checksum, once they are stored', () => {
  const frame = frameOf(
    recordTags(
      7,
      tag(0x40, le(0x3a01 | 0x0200, 2)),
      tag(0x41, le(25_097, 2)),
      tag(0x42, le(3734, 2)),
      tag(0x43, le(-5, 1)),
      tag(0x45, le(0x0001, 2)),
      tag(0x46, le(0x0004, 2)),
      tag(0x50, le(1234, 2)),
      tag(0x70, le(1, 1), le(-20, 1)),
      tag(0x90, le(0x0012abcd, 4)),
      tag(0xc1, le(125, 1), le(130, 1), le(8000, 2)),
      tag(0xd4, le(175_333, 4)),
      tag(0xe2, le(42, 4)),
    ),
    0x01,
    true,
  );
  const decoded = decode(frame);
  assert.deepEqual(decoded.reply, { when: 'afterDurable', bytes: Buffer.from(`02${crcOf(frame)}`, 'hex') });
  const record = decoded.records[0]!;
  assert.deepEqual(
    [record.timestamp, record.location, record.isValid],
    [WHEN, { lat: -16.664611, lng: 96.299373 }, true],
  );
  assert.deepEqual(
    [record.sats, record.speedKmh, record.courseDeg, record.altitudeM, record.hdop, record.batteryVoltage],
    [12, 42.5, 270.3, -22, 0.4, 3.734],
  );
  const readings = readingsOf(record);
  assert.deepEqual([readings.ext_voltage, readings.device_temp, readings.temp], [25.097, -5, -20]);
  assert.deepEqual([readings.dout1, readings.dout2, readings.din1, readings.din3], [true, false, false, true]);
  assert.deepEqual([readings.ain1, readings.driver_id, readings.odometer_m], [1.234, '0012ABCD', 175_333]);
  assert.deepEqual([readings.fuel_pct, readings.engine_temp, readings.rpm], [50, 90, 1000]);
  assert.equal(readings.ignition, true);
  assert.deepEqual(readings.io, { 40: 0x3a01, e2: 42 });
});

test('a tag that comes again begins the next record', () => {
  const { records } = decode(frameOf(Buffer.concat([recordTags(1), recordTags(2), recordTags(3)])));
  assert.deepEqual(
    records.map(({ recordId }) => recordId),
    ['1', '2', '3'],
  );
});

test('a place that is not a fix is not vouched for', () => {
  const placed = (correctness: number) =>
    decode(
      frameOf(
        Buffer.concat([
          tag(0x20, le(WHEN / 1000, 4)),
          tag(0x30, le(correctness, 1), le(53_000_000, 4), le(50_000_000, 4)),
        ]),
      ),
    ).records[0]!;
  assert.deepEqual([placed(0x05).isValid, placed(0xf3).isValid], [true, false]);
  assert.deepEqual([placed(0x25).isValid, placed(0x25).locationType], [false, 'gsm']);
});

test('what follows an unknown tag is not read, but confirmed: it is kept', () => {
  const decoded = decode(frameOf(Buffer.concat([recordTags(1), recordTags(2), Buffer.from('bb0102', 'hex')])));
  assert.equal(decoded.records.length, 2);
  assert.ok(decoded.problem);
  assert.equal(decoded.reply?.when, 'afterDurable');
});

test('tags whose value tells its own length are passed over', () => {
  const arrays = [tag(0xea, le(3, 1), Buffer.from('abc')), tag(0xfe, le(4, 2), Buffer.from('0102abcd', 'hex'))];
  const { records, problem } = decode(frameOf(Buffer.concat([recordTags(1, ...arrays), recordTags(2)])));
  assert.deepEqual([records.length, problem], [2, undefined]);
});

test('compressed records have their time in the year', () => {
  // 10 000 000 s = 2025-04-26T17:46:40Z; longitude 90° = 3/4, latitude 45° = 3/4 of their ranges.
  const bits =
    `0${(10_000_000).toString(2).padStart(25, '0')}0${(3 * 2 ** 20).toString(2).padStart(22, '0')}${(3 * 2 ** 19).toString(2).padStart(21, '0')}1`.padEnd(
      80,
      '0',
    );
  const minimal = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const one = Buffer.concat([minimal, Buffer.from([2, 0x41, 0x34]), le(12_500, 2), le(150, 2)]);
  const frame = frameOf(Buffer.concat([one, one]), 0x08);
  const decoded = decode(frame, { now: Date.parse('2025-06-01T00:00:00Z') });
  assert.equal(decoded.records.length, 2);
  const record = decoded.records[0]!;
  assert.equal(new Date(record.timestamp!).toISOString(), '2025-04-26T17:46:40.000Z');
  assert.deepEqual(
    [record.location, record.isValid, record.altitudeM, record.alarms],
    [{ lat: 45, lng: 90 }, true, 150, ['general']],
  );
  assert.equal(readingsOf(record).ext_voltage, 12.5);
  assert.equal(decoded.reply?.bytes.toString('hex'), `02${crcOf(frame)}`);
  const inJanuary = decode(frame, { now: Date.parse('2026-01-02T00:00:00Z') }).records[0]!;
  assert.equal(new Date(inJanuary.timestamp!).toISOString(), '2025-04-26T17:46:40.000Z');
});

test('what comes by satellite names the modem', () => {
  const head = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from('300234069604590'),
    Buffer.alloc(5),
    Buffer.from('6638807a', 'hex'),
  ]);
  const element = (kind: number, value: Buffer) => Buffer.concat([Buffer.from([kind, 0, value.length]), value]);
  const rough = Buffer.from('03 21 7530 46 3a98 00000002'.replaceAll(' ', ''), 'hex');
  const wrapped = (payload: Buffer) => {
    const body = Buffer.concat([element(1, head), element(3, rough), element(2, payload)]);
    return Buffer.concat([Buffer.from([1, 0, body.length]), body]);
  };
  const stream = Buffer.concat([wrapped(recordTags(1)), frameOf(HEAD)]);
  const { frames } = galileosky.split(stream);
  assert.equal(frames.length, 2);
  const decoded = decode(frames[0]!);
  assert.deepEqual([decoded.identities, decoded.reply], [['300234069604590'], undefined]);
  assert.deepEqual([decoded.records[0]!.timestamp, decoded.records[0]!.location?.lat], [WHEN, -16.664611]);
  const roughly = decode(wrapped(Buffer.alloc(0))).records[0]!;
  assert.deepEqual(
    [roughly.location, roughly.accuracyM, roughly.locationType],
    [{ lat: -33.5, lng: -70.25 }, 2000, 'gsm'],
  );
});

test('a wrong checksum is damage, unless it is to be accepted', () => {
  const frame = frameOf(recordTags(1));
  frame[frame.length - 1]! ^= 1;
  assert.deepEqual([decode(frame).isDamaged, decode(frame).records, decode(frame).reply], [true, [], undefined]);
  assert.equal(decode(frame, { acceptsWrongChecksum: true }).records.length, 1);
});

/** Reads a command as the device does. */
function readByDevice(bytes: Buffer) {
  assert.equal(bytes[0], 1);
  assert.equal(bytes.readUInt16LE(1), bytes.length - 5);
  assert.equal(bytes.readUInt16LE(bytes.length - 2), crcModbus(bytes, 0, bytes.length - 2));
  assert.deepEqual([bytes[3], bytes[19], bytes[22], bytes[27]], [0x03, 0x04, 0xe0, 0xe1]);
  return {
    imei: bytes.toString('latin1', 4, 19),
    number: bytes.readUInt32LE(23),
    text: bytes.toString('latin1', 29, 29 + bytes[28]!),
  };
}

test('a device reads the commands that it is sent, and its reply names the command', () => {
  const session = { ...anySession, identity: IMEI };
  const sent = (name: CommandName, parameters = {}) => {
    const encoded = galileosky.encode!({ name, parameters, number: 4711 }, session);
    if (!encoded) return undefined;
    const { imei, number, text } = readByDevice(encoded.bytes);
    assert.deepEqual([imei, String(number)], [IMEI, encoded.correlation]);
    return text;
  };
  assert.equal(sent('position'), 'status');
  assert.equal(sent('reboot'), 'reset');
  assert.equal(sent('output', { output: 2, on: true }), 'Out 2,1');
  assert.equal(sent('engineStop'), undefined);
  assert.equal(readByDevice(galileosky.encode!({ text: 'insys', number: 1 }, session)!.bytes).text, 'insys');
  assert.equal(galileosky.encode!({ text: 'insys', number: 1 }, { ...session, identity: '12' }), undefined);
  const words = 'OUT(3..0) = 1110';
  const reply = decode(
    frameOf(
      Buffer.concat([
        tag(0x03, Buffer.from(IMEI)),
        tag(0x04, le(0, 2)),
        tag(0xe0, le(4711, 4)),
        tag(0xe1, le(words.length, 1), Buffer.from(words)),
      ]),
    ),
  );
  assert.deepEqual([reply.identities, reply.commandReply], [[IMEI], { text: words, correlation: '4711' }]);
  assert.equal(reply.reply?.when, 'now');
});
