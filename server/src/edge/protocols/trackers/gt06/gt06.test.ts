import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anySession, protocolSuite } from '../protocol-suite.ts';
import type { DecodedFrame, TrackerRecord, TrackerSession } from '../tracker.ts';
import { frameWith } from './frame.ts';
import { gt06 } from './gt06.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/[ |]/g, ''), 'hex');

/** As a device sends it. */
const frame = (type: number, content: string | Buffer, serial = 1, isLong = false) =>
  frameWith(type, serial, typeof content === 'string' ? hex(content) : content, isLong);

const decode = (bytes: Buffer, session: Partial<TrackerSession> = {}): DecodedFrame =>
  gt06.decode(bytes, { ...anySession, ...session });

function only(bytes: Buffer, session?: Partial<TrackerSession>): TrackerRecord {
  const { records, problem } = decode(bytes, session);
  assert.equal(problem, undefined);
  assert.equal(records.length, 1);
  return records[0]!;
}

const valuesOf = (record: TrackerRecord, type: string) =>
  record.readings?.filter((reading) => reading.type === type).map(({ value }) => value);

/** 48.137 N, 11.575 E, 2026-03-05 10:20:30, 9 satellites, 42 km/h, course 90. */
const GPS = (flags = '145a') => `1a0305 0a141e c9 ${coordinate(48.137)} ${coordinate(11.575)} 2a ${flags}`;
const coordinate = (degrees: number) =>
  Math.round(degrees * 1_800_000)
    .toString(16)
    .padStart(8, '0');
const TIME = Date.parse('2026-03-05T10:20:30Z');
const CELL = '0106 01 1234 00abcd';
const CELL_READING = { mcc: 262, mnc: 1, lac: 0x1234, cid: 0xabcd };
const LOGIN = frame(0x01, '0123456789012345');

protocolSuite(gt06, [
  Buffer.concat([LOGIN, frame(0x13, '44 06 04 00 02', 2), frame(0x12, `${GPS()} ${CELL}`, 3)]),
  frame(0x22, `${GPS()} ${CELL} 01 05 01`),
  // An end mark within the content is no end.
  frame(0x9b, '03 32382e33 0d0a 55', 7, true),
  frame(0x21, Buffer.concat([hex('00000007 01'), Buffer.from('Battery:4.1V')]), 8, true),
  // The number of networks where the length belongs.
  hex('7878 01 69 260305102030 14759006e626 56 02 0106 01 1234 abcd 32 1234 abce 33 0d0a'),
]);

describe('gt06: frames', () => {
  test('a login is answered at once and names the device', () => {
    const { identities, reply, records } = decode(LOGIN);
    assert.deepEqual(identities, ['123456789012345']);
    assert.deepEqual([reply?.when, reply?.bytes.toString('hex')], ['now', '787805010001d9dc0d0a']);
    assert.deepEqual(records, []);
  });

  test('a login that is cut off after the IMEI is a frame as soon as its end mark has come', () => {
    const cut = hex('7878 0d 01 0123456789012345 3c 0d0a');
    assert.deepEqual(gt06.split(Buffer.concat([cut, LOGIN])).frames, [cut, LOGIN]);
    assert.deepEqual(decode(cut, { acceptsWrongChecksum: true }).identities, ['123456789012345']);
  });

  test('a login whose checksum is the end mark is whole', () => {
    const serials = Array.from({ length: 0x10000 }, (_, serial) => frame(0x01, '0123456789012345', serial));
    const odd = serials.find((bytes) => bytes.readUInt16BE(14) === 0x0d0a)!;
    assert.deepEqual(gt06.split(odd).frames, [odd]);
  });

  test('a frame with a wrong length ends at its end mark', () => {
    const wrong = Buffer.from(frame(0x12, `${GPS()} ${CELL}`));
    wrong[2] = 0x10;
    assert.deepEqual(gt06.split(Buffer.concat([wrong, LOGIN])).frames, [wrong, LOGIN]);
  });

  test('bytes of no frame are skipped and counted', () => {
    const { frames, skipped, remaining } = gt06.split(Buffer.concat([Buffer.from('GET / '), LOGIN, hex('00 78')]));
    assert.deepEqual([frames.length, skipped, remaining.toString('hex')], [1, 7, '78']);
  });

  test('a wrong checksum damages a frame, unless it is accepted', () => {
    const wrong = Buffer.from(frame(0x22, `${GPS()} ${CELL} 01 05 01`));
    wrong[wrong.length - 3]! ^= 1;
    const { isDamaged, reply, records } = decode(wrong);
    assert.deepEqual([isDamaged, reply, records], [true, undefined, []]);
    assert.equal(decode(wrong, { acceptsWrongChecksum: true }).records.length, 1);
  });

  test('an unknown type that begins with a place tells it', () => {
    const record = only(frame(0x5d, `${GPS()} ${CELL} 01 02 03`));
    assert.deepEqual([record.timestamp, record.isValid, record.location], [TIME, true, { lat: 48.137, lng: 11.575 }]);
  });

  test('an unknown type is answered and kept as a sample', () => {
    const { reply, problem, records } = decode(frame(0x1f, '00'));
    assert.equal(reply?.bytes[3], 0x1f);
    assert.match(problem!, /1f/);
    assert.deepEqual(records, []);
  });
});

describe('gt06: places', () => {
  test('a location has its place, speed, course, cell and ignition, and is answered once it is stored', () => {
    const bytes = frame(0x22, `${GPS()} ${CELL} 01 05 01 00001000`, 0x213);
    const record = only(bytes);
    assert.equal(record.timestamp, TIME);
    assert.ok(Math.abs(record.location!.lat - 48.137) < 1e-6);
    assert.ok(Math.abs(record.location!.lng - 11.575) < 1e-6);
    assert.deepEqual([record.isValid, record.sats, record.speedKmh, record.courseDeg], [true, 9, 42, 90]);
    assert.deepEqual(valuesOf(record, 'cell'), [CELL_READING]);
    assert.deepEqual(valuesOf(record, 'ignition'), [true]);
    assert.deepEqual(valuesOf(record, 'buffered'), [true]);
    assert.deepEqual(valuesOf(record, 'odometer_m'), [0x1000]);
    const { reply } = decode(bytes);
    assert.equal(reply?.when, 'afterDurable');
    assert.deepEqual(reply?.bytes, frame(0x22, '', 0x213));
  });

  test('the flags tell the hemispheres, the fix and the ignition', () => {
    const southWest = only(frame(0x10, GPS('d80a')));
    assert.ok(southWest.location!.lat < 0 && southWest.location!.lng < 0);
    assert.deepEqual(valuesOf(southWest, 'ignition'), [true]);
    const stale = only(frame(0x10, GPS('0400')));
    assert.equal(stale.isValid, false);
    assert.ok(stale.location, 'where it was last');
    assert.deepEqual(valuesOf(stale, 'ignition'), []);
  });

  test('(0, 0) is no place', () => {
    const record = only(frame(0x12, `1a0305 0a141e c0 00000000 00000000 00 1400 ${CELL}`));
    assert.deepEqual([record.location, record.isValid], [{ lat: 0, lng: 0 }, false]);
  });

  test('the zone of the login moves the times, and that of the device is better', () => {
    const { remember } = decode(frame(0x01, '0123456789012345 100f 3201'));
    const east = only(frame(0x10, GPS()), { memory: remember! });
    assert.equal(east.timestamp, TIME - 8 * 3_600_000);
    const west = decode(frame(0x01, '0123456789012345 100f 190a')).remember!;
    assert.equal(only(frame(0x10, GPS()), { memory: west }).timestamp, TIME + 4 * 3_600_000);
    const berlin = only(frame(0x10, GPS()), { memory: remember!, timeZone: 'Europe/Berlin' });
    assert.equal(berlin.timestamp, TIME - 3_600_000);
  });

  test('cells of 4G and networks of two bytes are as wide as they say', () => {
    const record = only(frame(0xa0, `${GPS()} 8106 0001 00001234 0000000000abcdef 01 03 00`));
    assert.deepEqual(valuesOf(record, 'cell'), [{ mcc: 262, mnc: 1, lac: 0x1234, cid: 0xabcdef }]);
    assert.deepEqual(valuesOf(record, 'ignition'), [true]);
  });

  test('tails of type 12 are told by their length', () => {
    const tail = (bytes: string) => only(frame(0x12, `${GPS()} ${CELL} ${bytes}`));
    assert.deepEqual(valuesOf(tail('8000'), 'ignition'), [true]);
    const vxt = tail('46 0571 04 00');
    assert.deepEqual([valuesOf(vxt, 'ext_voltage'), vxt.gsmSignal, vxt.isCharging], [[13.93], 4, true]);
    const s5 = tail('46 04b6 04 00 0000 8c 00000cd9');
    assert.deepEqual([valuesOf(s5, 'temp'), valuesOf(s5, 'odometer_m')], [[-12], [32_890]]);
    assert.deepEqual(valuesOf(tail('0000869c 01 37 01 00'), 'odometer_m'), [], 'an unknown tail is left');
    const trust = tail('0000869c 01 37 01 00 0000');
    assert.deepEqual([valuesOf(trust, 'driver_id'), trust.alarms], [['7'], ['general']]);
  });

  test('modules of type 37 follow the location', () => {
    const record = only(frame(0x37, `${GPS()} ${CELL} 01 00 00 0027 02 04d2 003b 02 00fa`));
    assert.deepEqual([valuesOf(record, 'ext_voltage'), record.accuracyM], [[12.34], 2.5]);
  });

  test('clones put the IMEI before the place', () => {
    const record = only(frame(0x12, `0866703066502297 ${GPS()} ${CELL}`));
    assert.equal(record.timestamp, TIME);
    assert.deepEqual(valuesOf(record, 'cell'), [CELL_READING]);
  });
});

describe('gt06: alarms and states', () => {
  const alarm = (type: number, status: string, cell = `09 ${CELL}`) => frame(type, `${GPS()} ${cell} ${status}`);

  test('the alarm byte says what happened, once', () => {
    const record = only(alarm(0x16, '48 04 04 03 01'));
    assert.deepEqual([record.alarms, record.standingAlarms], [['vibration'], undefined]);
    assert.deepEqual([record.batteryPct, record.gsmSignal, record.isCharging], [66, 4, false]);
    assert.deepEqual(valuesOf(record, 'cell'), [CELL_READING]);
  });

  test('without an alarm byte, the status says what is on', () => {
    const record = only(alarm(0x26, '90 64 04 00 01'));
    assert.deepEqual([record.alarms, record.standingAlarms], [undefined, ['powerCut']]);
    assert.equal(record.batteryPct, 100);
    assert.deepEqual(valuesOf(record, 'engine_cut'), [true]);
  });

  test('the length of the cell may count itself or not, and the cell may be wide', () => {
    assert.deepEqual(only(alarm(0x16, '42 06 04 01 02', `08 ${CELL}`)).alarms, ['sos']);
    const wide = only(alarm(0x16, '41 3e 42 01 02', '09 0136 04 81fe 066d9b03'));
    assert.deepEqual([wide.batteryPct, wide.gsmSignal, wide.alarms], [62, 0x42, ['sos']]);
    const fence = only(alarm(0xa4, '2c 05 04 11 02 ff', '11 8106 0001 00001234 0000000000abcdef'));
    assert.deepEqual([fence.batteryPct, fence.alarms], [83, ['powerOff']]);
    const sl4x = only(alarm(0x32, '42 06 04 14 02 fff6', '0a 0106 0001 1234 0000abcd'));
    assert.deepEqual([sl4x.altitudeM, sl4x.alarms], [-10, ['door']]);
  });

  test('the high nibble of the language widens the alarm of 27', () => {
    assert.deepEqual(only(alarm(0x27, '42 06 04 07 12 01')).alarms, ['jamming']);
  });

  test('makers use some numbers otherwise', () => {
    const bytes = alarm(0x16, '42 06 04 19 02');
    assert.deepEqual(only(bytes).alarms, ['lowBattery']);
    assert.deepEqual(only(bytes, { model: 'LW4G' }).alarms, ['harshAcceleration']);
    assert.deepEqual(only(alarm(0x16, '42 06 04 09 02'), { model: 'VL103' }).alarms, ['tow']);
  });

  test('a heartbeat is answered at once, and its alarm stands', () => {
    const bytes = frame(0x13, '56 06 04 00 02');
    const record = only(bytes);
    assert.deepEqual([record.alarms, record.standingAlarms], [undefined, ['powerCut']]);
    assert.deepEqual([record.batteryPct, record.isCharging, record.location], [100, true, undefined]);
    assert.equal(decode(bytes).reply?.when, 'now');
    assert.deepEqual(only(frame(0x13, '46 06 04 00 02')).standingAlarms, []);
  });

  test('kinds of heartbeats', () => {
    assert.equal(only(frame(0x23, '47 0192 04 0002')).batteryVoltage, 4.02);
    assert.deepEqual(valuesOf(only(frame(0x13, '40 b2fa 00 02 01 04 04d2 00 0000 011c')), 'temp'), [28.4]);
    assert.equal(only(frame(0x36, '00 05 04 00 02 0018 02 0192 006a 01 5f')).batteryPct, 95);
    assert.deepEqual(valuesOf(only(frame(0x13, '56 06 04 f083')), 'ext_voltage'), [13.1]);
  });

  test('cameras tell what they saw, with or without a place', () => {
    const near = only(frame(0x95, `1a0305 0a141e ${coordinate(48.137)} ${coordinate(11.575)} 145a 91 0000 612e6d7034`));
    assert.deepEqual([near.alarms, near.isValid, valuesOf(near, 'text')], [['harshBraking'], true, ['a.mp4']]);
    assert.deepEqual(only(frame(0x95, '1a0305 0a141e 01')).alarms, ['general']);
  });
});

describe('gt06: networks, texts and parts', () => {
  test('cells and access points of a place without a fix', () => {
    const cells = `1234 00abcd 3c 1234 00abce 46 ${'0000 000000 ff '.repeat(5)}`;
    const record = only(frame(0x2c, `1a0305 0a141e 0106 01 ${cells} ff 01 001801eb4039 3e`));
    assert.equal(record.timestamp, TIME);
    assert.deepEqual(valuesOf(record, 'cell'), [CELL_READING]);
    assert.deepEqual((valuesOf(record, 'cells')![0] as unknown[]).length, 2);
    assert.deepEqual(valuesOf(record, 'wifi'), [[{ mac: '00:18:01:EB:40:39', rssi: -62 }]]);
  });

  test('a frame with a count for a length has no checksum, and is answered by its time', () => {
    const { records, reply, isDamaged } = decode(
      hex('7878 01 69 260305102030 14759006e626 56 01 0106 01 1234 abcd 32 0d0a'),
    );
    assert.equal(isDamaged, undefined);
    assert.equal(records[0]?.timestamp, TIME);
    assert.deepEqual(valuesOf(records[0]!, 'cell'), [CELL_READING]);
    assert.equal(reply?.bytes.toString('hex'), '787800692603051020300d0a');
  });

  test('the time is told to who asks for it', () => {
    const { reply } = decode(frame(0x8a, '', 6), { now: TIME });
    assert.deepEqual(reply?.bytes, frame(0x8a, '1a0305 0a141e', 6));
  });

  test('who asks for an address is told that there is none', () => {
    const { reply } = decode(frame(0x2a, `${GPS()} 00`));
    assert.equal(reply?.bytes.toString('latin1', 10, 21), 'NA&&NA&&0##');
  });

  test('infos of 94', () => {
    const info = (content: string) => only(frame(0x94, content, 1, true));
    assert.deepEqual(valuesOf(info('0a 0359857082366758 0520050218721401 8966051912408052452f'), 'iccid'), [
      '8966051912408052452',
    ]);
    assert.deepEqual(valuesOf(info('05 01'), 'door'), [true]);
    assert.deepEqual(valuesOf(info('1b 02 01 0a0b0c0d 55 03'), 'driver_id'), ['0a0b0c0d']);
    assert.deepEqual(valuesOf(info('1e ffffffd5 000002ee'), 'temp'), [-4.3]);
    assert.deepEqual(valuesOf(info(`04${Buffer.from('ALM1=45;DYD=01;').toString('hex')}`), 'engine_cut'), [true]);
  });

  test('modules of 70', () => {
    const place = `69a957fe 08 00e8 ${coordinate(48.137)} ${coordinate(11.575)} 1d 145a`;
    const record = only(frame(0x70, `0033 0012 ${place} 0034 0006 10 69a957fe 00 0018 0002 017d`, 1, true));
    assert.deepEqual([record.altitudeM, record.isValid, record.batteryVoltage], [232, true, 3.81]);
    assert.deepEqual(record.alarms, ['door']);
  });

  test('a text says where the device is', () => {
    const text = 'Current position!Lat:N48.137000,Lon:E11.575000,Course:90.00,Speed:42.00,DateTime:2026-03-05 10:20:30';
    const { records, commandReply } = decode(
      frame(0x21, Buffer.concat([hex('00000009 01'), Buffer.from(text)]), 1, true),
    );
    assert.deepEqual(records[0]?.location, { lat: 48.137, lng: 11.575 });
    assert.equal(records[0]?.timestamp, TIME);
    assert.equal(commandReply?.correlation, '9');
  });
});

describe('gt06: commands', () => {
  /** What a device makes of a command, by the layout of its manual. */
  function readByDevice(bytes: Buffer) {
    assert.deepEqual(gt06.split(bytes).frames, [bytes]);
    assert.equal(decode(bytes).isDamaged, undefined);
    assert.deepEqual([bytes[3], bytes[2]! + 5], [0x80, bytes.length]);
    const size = bytes[4]!;
    return { flag: bytes.subarray(5, 9), text: bytes.toString('latin1', 9, 5 + size) };
  }
  const replyTo = (flag: Buffer, text: string) =>
    decode(frame(0x15, Buffer.concat([Buffer.from([4 + text.length]), flag, Buffer.from(text), hex('0002')])));

  test('the device reads the text, and its reply names the command', () => {
    const { bytes, correlation } = gt06.encode!({ text: 'STATUS#', number: 70_000 }, anySession)!;
    const { flag, text } = readByDevice(bytes);
    assert.equal(text, 'STATUS#');
    assert.deepEqual(replyTo(flag, 'Battery:4.1V').commandReply, { text: 'Battery:4.1V', correlation });
    assert.deepEqual(replyTo(Buffer.alloc(4), 'OK').commandReply, { text: 'OK' });
    assert.equal(replyTo(flag, 'Relay error!').commandReply?.isFailure, true);
  });

  test('the published command that cuts the engine', () => {
    const command = { name: 'engineStop', parameters: {}, number: 0 } as const;
    const { bytes } = gt06.encode!(command, anySession)!;
    assert.equal(bytes.toString('hex'), '787812800c0000000052656c61792c312300009dee0d0a');
    assert.equal(readByDevice(gt06.encode!(command, { ...anySession, model: 'TR06' })!.bytes).text, 'DYD,000000#');
  });

  test('an interval needs its seconds', () => {
    const text = (parameters: Record<string, number>) => {
      const encoded = gt06.encode!({ name: 'interval', parameters, number: 1 }, anySession);
      return encoded && readByDevice(encoded.bytes).text;
    };
    assert.equal(text({ seconds: 10, parkedSeconds: 60 }), 'TIMER,10,60#');
    assert.equal(text({ seconds: 30 }), 'TIMER,30,30#');
    assert.equal(text({}), undefined);
  });

  test('nothing is sent by guess', () => {
    assert.equal(gt06.encode!({ name: 'output', parameters: {}, number: 1 }, anySession), undefined);
    assert.equal(gt06.encode!({ text: 'Ü', number: 1 }, anySession), undefined);
    assert.equal(gt06.encode!({ text: 'x'.repeat(300), number: 1 }, anySession), undefined);
  });
});
