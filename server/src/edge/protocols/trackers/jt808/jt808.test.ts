import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anySession, protocolSuite } from '../protocol-suite.ts';
import type { DecodedFrame, TrackerCommand, TrackerRecord, TrackerSession } from '../tracker.ts';
import { frameWith, type Jt808Address, shortFrameWith } from './frame.ts';
import { jt808 } from './jt808.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/[ |]/g, ''), 'hex');
const PHONE: Jt808Address = { id: '013912345678' };
const NEW_PHONE: Jt808Address = { id: '00000000013912345678', version: 1 };

/** As a device sends it. */
const wire = (type: number, body: string | Buffer, serial = 3, address = PHONE) =>
  frameWith(type, address, serial, typeof body === 'string' ? hex(body) : body);

const decode = (bytes: Buffer, session: Partial<TrackerSession> = {}): DecodedFrame => {
  const { frames } = jt808.split(bytes);
  assert.equal(frames.length, 1);
  return jt808.decode(frames[0]!, { ...anySession, ...session });
};

function only(bytes: Buffer, session?: Partial<TrackerSession>): TrackerRecord {
  const { records, problem } = decode(bytes, session);
  assert.equal(problem, undefined);
  assert.equal(records.length, 1);
  return records[0]!;
}

const valuesOf = (record: TrackerRecord, type: string) =>
  record.readings?.filter((reading) => reading.type === type).map(({ value }) => value);

const TIME = Date.parse('2026-03-05T10:20:30Z');

interface Place {
  readonly alarm?: string;
  readonly status?: string;
  readonly time?: string;
}

/** 48.137, 11.575, 519 m, 42.1 km/h, course 90, at 18:20:30 in China. */
const place = (items = '', { alarm = '00000000', status = '00000003', time = '260305182030' }: Place = {}) =>
  `${alarm} ${status} 02de8368 00b09e98 0207 01a5 005a ${time} ${items}`;

/** A part of a message: total and number stand after the serial. */
function partOf(type: number, total: number, number: number, serial: number, body: Buffer): Buffer {
  const whole = frameWith(type, PHONE, serial, Buffer.concat([hex('0000 0000'), body]));
  const plain = Buffer.from(jt808.split(whole).frames[0]!);
  plain.writeUInt16BE(0x2000 | body.length, 3);
  plain.writeUInt16BE(total, 13);
  plain.writeUInt16BE(number, 15);
  let check = 0;
  for (const byte of plain.subarray(1, plain.length - 2)) check ^= byte;
  plain[plain.length - 2] = check;
  return plain;
}

protocolSuite(jt808, [
  Buffer.concat([wire(0x0002, ''), wire(0x0200, place('0104 00007d7e 3001 1f')), wire(0x0002, '', 0x7e7d)]),
  wire(0x0200, place('eb0c 000a 00b2 8986 0117 7e7d'), 9, NEW_PHONE),
  wire(0x0704, `0002 01 001c ${place()} 001c ${place()}`),
  shortFrameWith(0x5501, PHONE, 7, hex(`050326 102030 ${'00'.repeat(30)}`), 0x8000),
  frameWith(0x0002, { id: '01391234567812', mark: 0xe7 }, 0xe6e7, hex('3e3d')),
]);

describe('jt808: frames', () => {
  test('neighbours share a mark or repeat it', () => {
    const [one, two] = [wire(0x0002, '', 1), wire(0x0002, '', 2)];
    const shared = Buffer.concat([one, two.subarray(1)]);
    const repeated = Buffer.concat([one, two]);
    for (const stream of [shared, repeated]) {
      const { frames, skipped } = jt808.split(stream);
      assert.deepEqual([frames, skipped], [[one, two], 0]);
    }
  });

  test('what looks like a mark is escaped, the check too', () => {
    const bytes = wire(0x0200, place('0104 7d7e7d7e'));
    assert.equal(bytes.subarray(1, -1).includes(0x7e), false);
    assert.deepEqual(valuesOf(only(bytes), 'odometer_m'), [0x7d7e7d7e * 100]);
  });

  test('a frame without its end is too long after a while, and the next is found', () => {
    const endless = Buffer.concat([hex('7e'), Buffer.alloc(jt808.maxFrameBytes, 1)]);
    const { frames, skipped } = jt808.split(Buffer.concat([endless, wire(0x0002, '')]));
    assert.deepEqual([frames.length, skipped], [1, endless.length]);
  });

  test('a wrong check damages a frame, unless it is accepted', () => {
    const [frame] = jt808.split(wire(0x0200, place())).frames;
    const wrong = Buffer.from(frame!);
    wrong[wrong.length - 2]! ^= 1;
    const { isDamaged, reply, records } = jt808.decode(wrong, anySession);
    assert.deepEqual([isDamaged, reply, records], [true, undefined, []]);
    assert.equal(jt808.decode(wrong, { ...anySession, acceptsWrongChecksum: true }).records.length, 1);
  });

  test('a datagram is whole', () => {
    const { frames, remaining } = jt808.splitDatagram!(wire(0x0002, ''));
    assert.deepEqual([frames.length, remaining.length], [1, 0]);
  });

  test('an encrypted body is refused', () => {
    const [frame] = jt808.split(wire(0x0200, place())).frames;
    const encrypted = Buffer.from(frame!);
    encrypted[3]! |= 4;
    encrypted[encrypted.length - 2]! ^= 4;
    const { problem, records, reply } = jt808.decode(encrypted, anySession);
    assert.match(problem!, /encrypted/);
    assert.deepEqual([records, reply?.bytes.at(-3)], [[], 3]);
  });
});

describe('jt808: who speaks', () => {
  test('leading zeros do not count', () => {
    assert.deepEqual(decode(wire(0x0002, '')).identities, ['13912345678', '013912345678']);
    assert.deepEqual(decode(wire(0x0002, '', 3, NEW_PHONE)).identities, [
      '13912345678',
      '00000000013912345678',
      '013912345678',
    ]);
  });

  test('letters mean a packed IMEI, whose check digit is added', () => {
    const packed = (86893506001021).toString(16).padStart(12, '0');
    assert.deepEqual(decode(wire(0x0002, '', 3, { id: packed })).identities, ['868935060010210', packed]);
  });

  test('registering gives a code, or says that there is no such terminal', () => {
    const { reply } = decode(wire(0x0100, '002c 012f 3730313131', 0x24));
    assert.equal(reply?.when, 'now');
    const [said] = jt808.split(reply!.bytes).frames;
    assert.equal(said!.toString('hex', 1, 3), '8100');
    assert.equal(said!.subarray(16, -2).toString('latin1'), '013912345678');
    assert.equal(said!.toString('hex', 13, 16), '002400');
    const [refused] = jt808.split(reply!.refusal!).frames;
    assert.equal(refused!.toString('hex', 13, 16), '002404');
  });

  test('a code that the device brings is its key; the one that everybody gets is none', () => {
    assert.equal(decode(wire(0x0102, Buffer.from('secret'))).key, 'secret');
    assert.equal(decode(wire(0x0102, Buffer.from('013912345678'))).key, undefined);
    const body = Buffer.from(`\x06secret868935060010210V1.2${'\0'.repeat(16)}`, 'latin1');
    const { key, identities, reply } = decode(wire(0x0102, body, 3, NEW_PHONE));
    assert.equal(key, 'secret');
    assert.ok(identities?.includes('868935060010210'));
    assert.equal(reply?.when, 'now');
  });

  test('answers count their own serial, in the form of the device', () => {
    const first = decode(wire(0x0002, '', 7, NEW_PHONE));
    assert.deepEqual(first.reply?.bytes, frameWith(0x8001, NEW_PHONE, 0, hex('0007 0002 00')));
    const second = decode(wire(0x0002, '', 8, NEW_PHONE), { memory: first.remember! });
    assert.deepEqual(second.reply?.bytes, frameWith(0x8001, NEW_PHONE, 1, hex('0008 0002 00')));
  });

  test('the time is told', () => {
    const { reply } = decode(wire(0x0109, ''), { now: TIME });
    assert.deepEqual(reply?.bytes, frameWith(0x8109, PHONE, 0, hex('07ea 03 05 0a 14 1e 00')));
  });
});

describe('jt808: locations', () => {
  test('a location is answered once it is stored', () => {
    const bytes = wire(0x0200, place('0104 0000a900 3001 1b 3101 04'), 9);
    const record = only(bytes);
    assert.deepEqual(record.location, { lat: 48.137064, lng: 11.574936 });
    assert.deepEqual(
      [record.isValid, record.timestamp, record.altitudeM, record.speedKmh, record.courseDeg],
      [true, TIME, 519, 42.1, 90],
    );
    assert.deepEqual([record.gsmSignal, record.sats], [27, 4]);
    assert.deepEqual([valuesOf(record, 'odometer_m'), valuesOf(record, 'ignition')], [[4_326_400], [true]]);
    const { reply } = decode(bytes);
    assert.equal(reply?.when, 'afterDurable');
    assert.deepEqual(reply?.bytes, frameWith(0x8001, PHONE, 0, hex('0009 0200 00')));
  });

  test('the status tells hemispheres, fix, engine and doors', () => {
    const south = only(wire(0x0200, place('', { status: '0000240e' })));
    assert.deepEqual(south.location, { lat: -48.137064, lng: -11.574936 });
    assert.deepEqual(
      [valuesOf(south, 'ignition'), valuesOf(south, 'engine_cut'), valuesOf(south, 'door')],
      [[false], [true], [true]],
    );
    const stale = only(wire(0x0200, place('', { status: '00000001' })));
    assert.deepEqual([stale.isValid, stale.location !== undefined], [false, true]);
  });

  test('alarms stand as long as their bits are set', () => {
    assert.deepEqual(only(wire(0x0200, place('', { alarm: '00000181' }))).standingAlarms, [
      'sos',
      'lowExternalPower',
      'powerCut',
    ]);
    assert.deepEqual(only(wire(0x0200, place())).standingAlarms, []);
    assert.deepEqual(only(wire(0x0200, place('', { alarm: 'a0000000' }))).standingAlarms, ['crash', 'door']);
  });

  test('an area was entered or left', () => {
    const area = (direction: string) =>
      only(wire(0x0200, place(`1206 01 00000007 ${direction}`, { alarm: '00100001' }))).standingAlarms;
    assert.deepEqual(area('00'), ['sos', 'geofenceEnter']);
    assert.deepEqual(area('01'), ['sos', 'geofenceExit']);
  });

  test('the zone of a device is the Chinese one, or its own', () => {
    assert.equal(only(wire(0x0200, place()), { timeZone: '+00:00' }).timestamp, TIME + 8 * 3_600_000);
    assert.equal(only(wire(0x0200, place()), { timeZone: 'Asia/Shanghai' }).timestamp, TIME);
  });

  test('makers’ items are read where their length is known, and kept where not', () => {
    const record = only(wire(0x0200, place('5104 00eb 8014 5602 0900 6902 018b f607 01020304050607 8202 0082')));
    assert.deepEqual([valuesOf(record, 'temp'), valuesOf(record, 'temp2')], [[23.5], [-2]]);
    assert.deepEqual([record.batteryPct, record.batteryVoltage], [90, 3.95]);
    assert.deepEqual([valuesOf(record, 'ext_voltage'), valuesOf(record, 'obd_speed')], [[13], []]);
    assert.deepEqual(valuesOf(record, 'vendor_items'), [{ f6: '01020304050607' }]);
  });

  test('nested items, cells and access points', () => {
    const nested = only(wire(0x0200, place('eb1c 000c 00b2 8921200272401241734f 0006 0089 ffffffef 0004 00ce 04d2')));
    assert.deepEqual([valuesOf(nested, 'iccid'), valuesOf(nested, 'ext_voltage')], [['8921200272401241734'], [12.34]]);
    const tagReadings = only(wire(0x0200, place('ec07 f0090dba115a bb eb0d 0106 01 1234 abcd 32 1234 abce 33')));
    assert.deepEqual(valuesOf(tagReadings, 'wifi'), [[{ mac: 'F0:09:0D:BA:11:5A', rssi: -69 }]]);
    assert.deepEqual(valuesOf(tagReadings, 'cell'), [{ mcc: 262, mnc: 1, lac: 0x1234, cid: 0xabcd }]);
  });

  test('an identity of zeros is replaced by the IMEI of an item', () => {
    const { identities } = decode(wire(0x0200, place('f608 0868935060010210'), 1, { id: '000000000000' }));
    assert.equal(identities?.[0], '868935060010210');
  });

  test('a batch holds locations, and one in parts is put together', () => {
    const body = hex(`0003 01 001c ${place()} 0022 ${place('0104 00000001')} 001c ${place()}`);
    const { records, reply } = decode(wire(0x0704, body));
    assert.deepEqual([records.length, reply?.when], [3, 'afterDurable']);
    assert.deepEqual(valuesOf(records[0]!, 'buffered'), [true]);
    for (let cut = 3; cut < body.length; cut += 1) {
      const first = jt808.decode(partOf(0x0704, 2, 1, 20, body.subarray(0, cut)), anySession);
      const memory = { ...first.remember };
      const last = jt808.decode(partOf(0x0704, 2, 2, 21, body.subarray(cut)), { ...anySession, memory });
      assert.deepEqual([...first.records, ...last.records], records, `cut at ${cut}`);
    }
    const lost = jt808.decode(partOf(0x0704, 2, 2, 21, body.subarray(40)), anySession);
    assert.deepEqual([lost.records, lost.problem !== undefined], [[], true]);
  });

  test('a second part of a location is none', () => {
    const { records, problem } = jt808.decode(partOf(0x0200, 2, 2, 21, hex(place())), anySession);
    assert.deepEqual([records, problem !== undefined], [[], true]);
  });

  test('locks have a serial of one byte and decimal digits', () => {
    const body = `050326 102030 48082220 011344980 7 2a 2d 1c 06 00000007 4e ${'00'.repeat(6)} 03 0020 0004 02020208`;
    const bytes = shortFrameWith(0x5501, PHONE, 7, hex(body), 0x8000);
    const record = only(bytes);
    assert.ok(Math.abs(record.location!.lat - 48.137033) < 1e-5);
    assert.ok(Math.abs(record.location!.lng - 11.574966) < 1e-5);
    assert.deepEqual(
      [record.timestamp, record.speedKmh, record.courseDeg, record.sats, record.batteryPct, record.altitudeM],
      [TIME, 42, 90, 6, 78, 520],
    );
    assert.deepEqual(record.standingAlarms, ['vibration']);
    assert.deepEqual(decode(bytes).reply?.bytes, shortFrameWith(0x4401, PHONE, 1, hex('5501 00')));
  });
});

describe('jt808: commands', () => {
  /** What a device makes of a message, by the layout of the standard. */
  function readByDevice(bytes: Buffer) {
    const [frame] = jt808.split(bytes).frames;
    const attributes = frame!.readUInt16BE(3);
    const isNew = (attributes & 0x4000) !== 0;
    const serialAt = isNew ? 16 : 11;
    const body = frame!.subarray(serialAt + 2, -2);
    assert.equal(attributes & 0x3ff, body.length);
    assert.equal(
      frame!.subarray(1, -1).reduce((sum, byte) => sum ^ byte, 0),
      0,
    );
    return {
      type: frame!.toString('hex', 1, 3),
      id: frame!.toString('hex', isNew ? 6 : 5, serialAt),
      serial: frame!.toString('hex', serialAt, serialAt + 2),
      body,
    };
  }
  const memory = decode(wire(0x0002, '')).remember!;
  const encode = (command: TrackerCommand, session: Partial<TrackerSession> = {}) =>
    jt808.encode!(command, { ...anySession, memory, ...session });

  test('the reply names the command by its serial', () => {
    const { bytes, correlation } = encode({ name: 'position', parameters: {}, number: 0x1234 })!;
    const { type, id, serial, body } = readByDevice(bytes);
    assert.deepEqual([type, id, body.length], ['8201', '013912345678', 0]);
    const { commandReply, records, reply } = decode(wire(0x0201, `${serial} ${place()}`));
    assert.deepEqual(commandReply, { text: 'OK', correlation });
    assert.deepEqual([records.length, reply], [1, undefined]);
    const general = (result: string) => decode(wire(0x0001, `${serial} 8201 ${result}`)).commandReply;
    assert.deepEqual(general('00'), { text: 'OK', correlation });
    assert.deepEqual(general('03'), { text: 'Not supported', correlation, isFailure: true });
  });

  test('a text is sent in Chinese letters too', () => {
    const { type, body } = readByDevice(encode({ text: 'PARAM,中文#', number: 1 })!.bytes);
    assert.equal(type, '8300');
    assert.equal(body[0], 1);
    assert.equal(new TextDecoder('gbk').decode(body.subarray(1)), 'PARAM,中文#');
    assert.equal(encode({ text: '😀', number: 1 }), undefined);
    const { memory: of2019 } = { memory: decode(wire(0x0002, '', 1, NEW_PHONE)).remember! };
    const later = readByDevice(encode({ text: 'A', number: 1 }, { memory: of2019 })!.bytes);
    assert.deepEqual([later.id, later.body.toString('hex')], [NEW_PHONE.id, '010141']);
  });

  test('named commands are those of the standard and of makers', () => {
    const named = (name: 'reboot' | 'engineStop' | 'engineResume' | 'interval', parameters = {}, model = '') => {
      const encoded = encode({ name, parameters, number: 1 }, { model });
      const read = encoded && readByDevice(encoded.bytes);
      return read && `${read.type} ${read.body.toString('hex')}`;
    };
    assert.equal(named('reboot'), '8105 04');
    assert.equal(named('engineStop'), '8105 f0');
    assert.equal(named('engineResume', {}, 'W15L'), '8105 65');
    assert.equal(named('interval', { seconds: 30 }), '8103 0100000029040000001e');
    assert.equal(named('interval', {}), undefined);
    assert.equal(encode({ name: 'output', parameters: {}, number: 1 }), undefined);
  });

  test('a device that has not spoken yet is addressed by its name', () => {
    const command = { name: 'position', parameters: {}, number: 1 } as const;
    const idFor = (identity: string) => {
      const encoded = jt808.encode!(command, { ...anySession, memory: {}, identity });
      return encoded && readByDevice(encoded.bytes).id;
    };
    assert.equal(idFor('13912345678'), '013912345678');
    assert.equal(idFor('868935060010210'), '4f07788ef87d');
    assert.equal(idFor('a name'), undefined);
  });

  test('messages of OBD adapters have a place behind what they measured', () => {
    const at = '00000003 02de8368 00b09e98';
    const head = (kind: string) => `f0 260305182030 00 01 ${kind}`;
    for (const [kind, alarms] of [
      ['01 02 0535 02 0168 0536 02 03e8', undefined],
      ['02 0001 00000001 0001 00000000 00000000 0005 5031343537', undefined],
      ['03 02 1a 01 00 02 00', ['harshAcceleration', 'powerCut']],
    ] as const) {
      const record = only(wire(0x0900, `${head(kind)} ${at}`));
      assert.deepEqual(record.location, { lat: 48.137064, lng: 11.574936 }, kind);
      assert.deepEqual([record.isValid, record.alarms], [true, alarms], kind);
      assert.equal(decode(wire(0x0900, head(kind))).records[0]?.location, undefined, 'without one');
    }
    assert.deepEqual(only(wire(0x0900, head('15 00000033'))).alarms, ['harshAcceleration']);
  });

  test('a camera raises its events, also where its model is not told', () => {
    const item = 'e804 0412 0102';
    assert.deepEqual(only(wire(0x0200, place(item)), { model: 'JC371' }).alarms, ['harshAcceleration']);
    assert.deepEqual(only(wire(0x0200, place(item))).alarms, ['harshAcceleration']);
    assert.equal(only(wire(0x0200, place('e803 040001'))).alarms, undefined, 'a lock');
  });

  test('texts that devices answer with', () => {
    assert.deepEqual(decode(wire(0x1300, '0000 0053 0065 0074 0020 004f 004b')).commandReply, { text: 'Set OK' });
    assert.deepEqual(decode(wire(0x6006, Buffer.from('\x01hello'))).commandReply, { text: 'hello' });
    assert.deepEqual(decode(wire(0x0104, '0009 01 00000029 04 0000001e')).commandReply, {
      text: '0029=30',
      correlation: '9',
    });
  });
});
