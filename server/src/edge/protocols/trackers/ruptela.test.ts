import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crcKermit } from './bytes.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { ruptela } from './ruptela.ts';
import type { TrackerRecord } from './tracker.ts';

const IMEI = '012207007303107';
const WHEN = Date.parse('2024-05-06T07:08:09Z');

const be = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  if (value < 0) buffer.writeIntBE(value, 0, bytes);
  else buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

/** A frame as a device makes it. */
function frameOf(type: number, payload: Buffer): Buffer {
  const imei = Buffer.alloc(8);
  imei.writeBigUInt64BE(BigInt(IMEI));
  const body = Buffer.concat([imei, Buffer.from([type]), payload]);
  return Buffer.concat([be(body.length, 2), body, be(crcKermit(body, 0, body.length), 2)]);
}

interface TestRecord {
  readonly lat?: number;
  readonly lng?: number;
  readonly eventId?: number;
  readonly extension?: number;
  /** By the number of the value: its bytes in hexadecimal digits. */
  readonly io?: Readonly<Record<number, string>>;
}

function recordBytes(
  { lat = 546_305_118, lng = -252_712_755, eventId = 7, extension = 0, io = {} }: TestRecord,
  isExtended: boolean,
): Buffer {
  const idBytes = isExtended ? 2 : 1;
  return Buffer.concat([
    be(WHEN / 1000, 4),
    be(0, 1),
    ...(isExtended ? [be(extension, 1)] : []),
    be(0, 1),
    be(lng, 4),
    be(lat, 4),
    be(-123, 2),
    be(27_025, 2),
    be(10, 1),
    be(83, 2),
    be(9, 1),
    be(eventId, idBytes),
    ...[1, 2, 4, 8].flatMap((width) => {
      const group = Object.entries(io).filter(([, hex]) => hex.length === width * 2);
      return [be(group.length, 1), ...group.flatMap(([id, hex]) => [be(Number(id), idBytes), Buffer.from(hex, 'hex')])];
    }),
  ]);
}
const packet = (...records: readonly TestRecord[]) =>
  frameOf(1, Buffer.concat([Buffer.from([0, records.length]), ...records.map((record) => recordBytes(record, false))]));
const extended = (...records: readonly TestRecord[]) =>
  frameOf(
    0x44,
    Buffer.concat([Buffer.from([0, records.length]), ...records.map((record) => recordBytes(record, true))]),
  );

const decode = (frame: Buffer, more = {}) => ruptela.decode(frame, { ...anySession, ...more });
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));

protocolSuite(ruptela, [
  packet({ io: { 2: '01', 29: '338e', 65: '014bc16d' } }),
  Buffer.concat([
    frameOf(0x0f, Buffer.from('Es')),
    packet({}, {}),
    extended({ io: { 409: '01' } }),
    frameOf(7, Buffer.from('ok')),
  ]),
]);

for (const [kind, make] of [
  ['ordinary', packet],
  ['extended', extended],
] as const)
  test(`${kind} records give place, time and status, and are confirmed once they are stored`, () => {
    const decoded = decode(
      make({
        io: {
          2: '01',
          3: '00',
          27: '1a',
          32: 'f6',
          173: '01',
          251: '01',
          170: '00',
          29: '338e',
          30: '0fe3',
          78: 'ff38',
          207: '7d',
          65: '014bc16d',
          150: '0000601a',
          34: '0000010203040506',
          126: '4452495645523132',
          127: '3334353637383930',
          200: '2a',
        },
      }),
    );
    assert.deepEqual(decoded.identities, [IMEI]);
    assert.equal(decoded.reply?.when, 'afterDurable');
    assert.equal(decoded.reply?.bytes.toString('hex'), '0002640113bc');
    const record = decoded.records[0]!;
    assert.deepEqual(
      [record.timestamp, record.location, record.isValid],
      [WHEN, { lat: 54.6305118, lng: -25.2712755 }, true],
    );
    assert.deepEqual(
      [record.altitudeM, record.courseDeg, record.sats, record.speedKmh, record.hdop],
      [-12.3, 270.25, 10, 83, 0.9],
    );
    assert.deepEqual([record.gsmSignal, record.batteryVoltage, record.isCharging], [26, 4.067, false]);
    const { driver_id: _, ...readings } = readingsOf(record);
    assert.deepEqual(readings, {
      din1: true,
      din2: false,
      moving: true,
      ignition: true,
      device_temp: -10,
      ext_voltage: 13.198,
      temp: -20,
      fuel_pct: 50,
      odometer_m: 21_741_933,
      operator: '24602',
      io: { 200: 42 },
      event_code: 7,
    });
    const drivers = record.readings!.filter(({ type }) => type === 'driver_id').map(({ value }) => value);
    assert.deepEqual(drivers, ['DRIVER1234567890', '0000010203040506']);
  });

test('without a fix there is no place', () => {
  const record = decode(packet({ lat: -0x80000000, lng: -0x80000000, io: { 29: '30c5' } })).records[0]!;
  assert.deepEqual([record.location, record.isValid, record.timestamp], [undefined, false, WHEN]);
  assert.equal(readingsOf(record).ext_voltage, 12.485);
});

test('parts of an extended record are one', () => {
  const { records } = decode(
    extended(
      { extension: 0x20, io: { 29: '338e' } },
      { extension: 0x21, io: { 409: '01' } },
      { extension: 0x22, io: { 65: '00000001' } },
      { extension: 0x00, io: { 409: '00' } },
    ),
  );
  assert.equal(records.length, 2);
  const readings = readingsOf(records[0]!);
  assert.deepEqual([readings.ext_voltage, readings.ignition, readings.odometer_m], [13.198, true, 1]);
  assert.equal(readingsOf(records[1]!).ignition, false);
});

for (const [id, on, off, alarm] of [
  [88, '01', '00', 'jamming'],
  [134, '05', '00', 'harshBraking'],
  [136, '05', '00', 'harshAcceleration'],
  [410, '01', '00', 'tow'],
  [411, '01', '00', 'crash'],
  [415, '00', '01', 'antennaCut'],
  [758, '01', '00', 'tamper'],
] as const)
  test(`value ${id} is ${alarm}: an event where it caused the record, else a state`, () => {
    const caused = decode(extended({ eventId: id, io: { [id]: on } })).records[0]!;
    assert.deepEqual([caused.alarms, caused.standingAlarms], [[alarm], []]);
    const state = decode(extended({ io: { [id]: on } })).records[0]!;
    assert.deepEqual([state.alarms, state.standingAlarms], [undefined, [alarm]]);
    assert.deepEqual(decode(extended({ io: { [id]: off } })).records[0]!.standingAlarms, []);
    assert.equal(decode(extended({})).records[0]!.standingAlarms, undefined, 'the record does not tell');
  });

test('fault codes come with their time and place', () => {
  const fault = Buffer.concat([
    be(0xff, 1),
    be(WHEN / 1000, 4),
    be(131_467_505, 4),
    be(437_551_290, 4),
    be(1, 1),
    Buffer.from('P0010'),
  ]);
  const decoded = decode(frameOf(9, Buffer.concat([Buffer.from([2]), fault, fault])));
  assert.equal(decoded.reply?.bytes.toString('hex'), '00026d01c4a4');
  assert.equal(decoded.reply?.when, 'afterDurable');
  assert.equal(decoded.records.length, 2);
  assert.deepEqual(decoded.records[0]!.location, { lat: 43.755129, lng: 13.1467505 });
  assert.equal(readingsOf(decoded.records[0]!).dtc, 'P0010');
});

test('identification and heartbeats are answered at once', () => {
  const identification = decode(frameOf(0x0f, Buffer.from('Es0400')));
  assert.deepEqual([identification.reply?.when, identification.reply?.bytes.toString('hex')], ['now', '00027301cb25']);
  assert.equal(
    decode(frameOf(0x10, Buffer.alloc(0)))
      .reply?.bytes.toString('hex')
      .slice(0, 8),
    '00027401',
  );
});

test('a wrong checksum is damage, unless it is to be accepted', () => {
  const frame = packet({});
  frame[20]! ^= 1;
  assert.deepEqual([decode(frame).isDamaged, decode(frame).records, decode(frame).reply], [true, [], undefined]);
  assert.equal(decode(frame, { acceptsWrongChecksum: true }).records.length, 1);
});

test('what of a packet is there is read', () => {
  const payload = Buffer.concat([Buffer.from([0, 2]), recordBytes({}, false), recordBytes({}, false).subarray(0, 20)]);
  const decoded = decode(frameOf(1, payload));
  assert.equal(decoded.records.length, 1);
  assert.ok(decoded.problem);
});

test('what others begin with is not taken for ours', () => {
  for (const other of ['7979000794050000c9b63e0d0a', '7e0200002c00160128561400030000', '000000000000002b08010000'])
    assert.equal(ruptela.recognise(Buffer.from(other, 'hex')), 'no');
  assert.equal(ruptela.recognise(Buffer.from('01200003333536333037303432343431303133', 'hex')), 'no');
});

/** Reads a command as the device does: length, kind, checksum. */
function readByDevice(bytes: Buffer): { type: number; content: Buffer } {
  assert.equal(bytes.readUInt16BE(0), bytes.length - 4);
  assert.equal(bytes.readUInt16BE(bytes.length - 2), crcKermit(bytes, 2, bytes.length - 2));
  return { type: bytes[2]!, content: bytes.subarray(3, -2) };
}

test('a device reads the commands that it is sent, and its reply is text', () => {
  const text = readByDevice(ruptela.encode!({ text: 'pass setio 2,1', number: 1 }, anySession)!.bytes);
  assert.deepEqual([text.type, text.content.toString()], [108, 'pass setio 2,1']);
  const output = readByDevice(
    ruptela.encode!({ name: 'output', parameters: { output: 2, on: true }, number: 1 }, anySession)!.bytes,
  );
  assert.deepEqual([output.type, output.content.toString('hex')], [0x75, '0000000200000001']);
  assert.equal(ruptela.encode!({ name: 'reboot', parameters: {}, number: 1 }, anySession), undefined);
  assert.deepEqual(decode(frameOf(7, Buffer.from('SETIO ok\r\n'))).commandReply, { text: 'SETIO ok' });
  assert.deepEqual(decode(frameOf(0x11, Buffer.from([1]))).commandReply, { text: '1' });
});
