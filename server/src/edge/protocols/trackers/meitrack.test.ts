import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meitrack } from './meitrack.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import type { CommandName, TrackerRecord } from './tracker.ts';

const IMEI = '861074020109479';

const sumOf = (text: string) => [...Buffer.from(text, 'latin1')].reduce((sum, byte) => (sum + byte) & 0xff, 0);

/** A frame as a device makes it. */
function frameOf(content: string | Buffer, flag = 'F'): Buffer {
  const body = Buffer.concat([Buffer.from(`,${IMEI},`), Buffer.from(content as string, 'latin1'), Buffer.from('*')]);
  const start = Buffer.from(`$$${flag}${body.length + 4}`);
  const sum = sumOf(Buffer.concat([start, body]).toString('latin1'))
    .toString(16)
    .toUpperCase()
    .padStart(2, '0');
  return Buffer.concat([start, body, Buffer.from(`${sum}\r\n`)]);
}

const REPORT =
  'AAA,35,-33.866423,151.190060,121208020649,A,7,27,36,32,1.4,-13,6150,49517,505|2|0B67|5A6C,0401,0010|0020||018D|04F0,,,3,3219,010834|02FF38';
const recordOf = (content: string | Buffer, more = {}) =>
  meitrack.decode(frameOf(content), { ...anySession, ...more }).records[0]!;
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));
const withEvent = (event: number, data = '') =>
  REPORT.replace('AAA,35,', `AAA,${event},`).replace('04F0,,', `04F0,${data},`);

const le = (value: number, bytes: 1 | 2 | 4) => {
  const buffer = Buffer.alloc(bytes);
  if (value < 0) buffer.writeIntLE(value, 0, bytes);
  else buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};
const EPOCH = 946_684_800;
const WHEN = Date.parse('2024-05-06T07:08:09Z');

function cccRecord(event: number): Buffer {
  return Buffer.concat([
    le(event, 1),
    le(-7_266_504, 4),
    le(112_743_651, 4),
    le(WHEN / 1000 - EPOCH, 4),
    ...[1, 9, 19].map((value) => le(value, 1)),
    ...[45, 270, 12].map((value) => le(value, 2)),
    le(-3, 2),
    le(80_083, 4),
    le(180_092, 4),
    ...[510, 1, 0x3504, 0xebfe, 0x0401, 5, 419, 1250].map((value) => le(value, 2)),
    le(0, 4),
  ]);
}
const ccc = (records: readonly Buffer[]) =>
  Buffer.concat([Buffer.from('CCC,'), le(0x0102, 2), le(52, 2), le(3, 4), ...records]);

/** Values of 1, 2, 4 and more bytes, each with its number in hexadecimal digits. */
function cce(...records: readonly (readonly Record<string, Buffer>[])[]): Buffer {
  const recordBytes = (groups: readonly Record<string, Buffer>[]) => {
    const body = Buffer.concat([
      le(7, 2),
      ...groups.flatMap((group, index) => [
        le(Object.keys(group).length, 1),
        ...Object.entries(group).flatMap(([id, value]) => [
          Buffer.from(id, 'hex'),
          ...(index === 3 ? [le(value.length, 1)] : []),
          value,
        ]),
      ]),
    ]);
    return Buffer.concat([le(body.length, 2), body]);
  };
  return Buffer.concat([Buffer.from('CCE,'), le(0, 4), le(records.length, 2), ...records.map(recordBytes)]);
}
const PLACE = { '02': le(33_925_621, 4), '03': le(-6_917_510, 4), '04': le(WHEN / 1000 - EPOCH, 4) };

protocolSuite(meitrack, [
  frameOf(REPORT),
  Buffer.concat([frameOf(REPORT), frameOf(ccc([cccRecord(35)]), 'G'), frameOf('C01,OK', 'h')]),
  frameOf(cce([{ '05': le(1, 1) }, {}, PLACE, {}])),
]);

test('a report in text gives place, time and status', () => {
  const decoded = meitrack.decode(frameOf(REPORT), anySession);
  assert.deepEqual(decoded.identities, [IMEI]);
  assert.equal(decoded.reply, undefined, 'no answer is due');
  const [record] = decoded.records;
  assert.equal(new Date(record!.timestamp!).toISOString(), '2012-12-08T02:06:49.000Z');
  assert.deepEqual(record!.location, { lat: -33.866423, lng: 151.19006 });
  assert.deepEqual(
    [
      record!.isValid,
      record!.sats,
      record!.gsmSignal,
      record!.speedKmh,
      record!.courseDeg,
      record!.hdop,
      record!.altitudeM,
    ],
    [true, 7, 27, 36, 32, 1.4, -13],
  );
  assert.equal(record!.batteryVoltage, 3.97);
  const readings = readingsOf(record!);
  assert.equal(readings.odometer_m, 6150);
  assert.deepEqual(readings.cell, { mcc: 505, mnc: 2, lac: 0x0b67, cid: 0x5a6c });
  assert.deepEqual([readings.din3, readings.din1, readings.dout1, readings.dout2], [true, false, true, false]);
  assert.deepEqual([readings.ain1, readings.ain2, readings.ext_voltage], [0.16, 0.32, 12.64]);
  assert.deepEqual([readings.fuel_pct, readings.temp, readings.temp2], [50.25, 21, -2]);
});

test('a place without validity is the last known one', () => {
  const record = recordOf(REPORT.replace(',A,', ',V,'));
  assert.deepEqual([record.isValid, record.location?.lat], [false, -33.866423]);
});

test('a number before the event is passed over, and missing ends too', () => {
  const record = recordOf(REPORT.replace('AAA,35,', 'AFF,0004,1,'));
  assert.deepEqual([record.alarms, record.location?.lat], [['sos'], -33.866423]);
  const short = recordOf('AAA,35,22.543176,114.078448,100313093738,A,5,22,2,205,5,-14,0,60');
  assert.deepEqual(short.location, { lat: 22.543176, lng: 114.078448 });
});

test('volts are read by the model, or by what a battery can have', () => {
  const voltages = (analog: string, model?: string) => {
    const record = recordOf(REPORT.replace('0010|0020||018D|04F0', analog), { model });
    return [record.batteryVoltage, readingsOf(record).ext_voltage];
  };
  assert.deepEqual(voltages('|||018D|04F0'), [3.97, 12.64]);
  assert.deepEqual(voltages('|||0278|0100'), [3.703, 12]);
  assert.deepEqual(voltages('|||0964|0400'), [3.874, 13.2]);
  assert.deepEqual(voltages('|||0278|0100', 'MVT380'), [3.703, 12]);
  assert.deepEqual(voltages('|||0964|0400', 'TC68S'), [3.874, 13.2]);
  assert.deepEqual(voltages('4.10|12.50|3.0|3.3|0.0'), [4.1, 12.5]);
});

for (const [event, alarm] of [
  [1, 'sos'],
  [17, 'lowBattery'],
  [18, 'lowExternalPower'],
  [19, 'overspeed'],
  [20, 'geofenceEnter'],
  [21, 'geofenceExit'],
  [22, 'powerRestored'],
  [23, 'powerCut'],
  [28, 'antennaCut'],
  [36, 'tow'],
  [40, 'powerOff'],
  [44, 'jamming'],
  [50, 'temperature'],
  [51, 'temperature'],
  [78, 'crash'],
  [79, 'fall'],
  [90, 'harshCornering'],
  [91, 'harshCornering'],
  [109, 'fatigue'],
  [129, 'harshBraking'],
  [130, 'harshAcceleration'],
  [133, 'idle'],
  [135, 'fatigue'],
] as const)
  test(`event ${event} is ${alarm}`, () => assert.deepEqual(recordOf(withEvent(event)).alarms, [alarm]));

test('other events are no alarms', () => {
  for (const event of [2, 9, 24, 31, 35, 63]) assert.equal(recordOf(withEvent(event)).alarms, undefined);
  assert.equal(readingsOf(recordOf(withEvent(42))).moving, true);
  assert.equal(readingsOf(recordOf(withEvent(41))).moving, false);
  assert.equal(readingsOf(recordOf(withEvent(37, '006380DF'))).driver_id, '006380DF');
});

test('stored records in binary are confirmed by their count', () => {
  const decoded = meitrack.decode(frameOf(ccc([cccRecord(35), cccRecord(23)]), 'X'), anySession);
  assert.equal(decoded.reply?.when, 'afterDurable');
  assert.equal(
    decoded.reply?.bytes.toString('latin1'),
    `@@X27,${IMEI},CCC,2*${sumOf(`@@X27,${IMEI},CCC,2*`).toString(16).toUpperCase().padStart(2, '0')}\r\n`,
  );
  const [first, second] = decoded.records;
  assert.deepEqual(first!.location, { lat: -7.266504, lng: 112.743651 });
  assert.deepEqual(
    [first!.timestamp, first!.isValid, first!.sats, first!.gsmSignal, first!.speedKmh, first!.courseDeg, first!.hdop],
    [WHEN, true, 9, 19, 45, 270, 1.2],
  );
  assert.deepEqual([first!.altitudeM, first!.batteryVoltage], [-3, 4.19]);
  const readings = readingsOf(first!);
  assert.deepEqual(
    [readings.odometer_m, readings.din3, readings.dout1, readings.ext_voltage],
    [80_083, true, true, 12.5],
  );
  assert.deepEqual(readings.cell, { mcc: 510, mnc: 1, lac: 0x3504, cid: 0xebfe });
  assert.deepEqual(second!.alarms, ['powerCut']);
  assert.notEqual(first!.recordId, second!.recordId);
});

test('records of numbered values are read, unknown numbers passed over', () => {
  const tag = Buffer.concat([
    Buffer.from([1, 5]),
    Buffer.from('Temp1'),
    Buffer.from('ac233faf076e', 'hex'),
    le(100, 1),
    le(-2688, 2),
    le(12_928, 2),
    Buffer.alloc(8),
  ]);
  const content = cce([
    {
      '05': le(1, 1),
      '06': le(17, 1),
      '07': le(25, 1),
      '14': le(1, 1),
      '15': le(4, 1),
      fe69: le(87, 1),
      '99': le(1, 1),
    },
    {
      '08': le(24, 2),
      '09': le(198, 2),
      '0a': le(5, 2),
      '0b': le(-76, 2),
      '16': le(7, 2),
      '19': le(422, 2),
      '1a': le(1425, 2),
      '29': le(5025, 2),
      '40': le(23, 2),
      fe90: le(1, 2),
    },
    { ...PLACE, '0c': le(518_578, 4), '0d': le(163_903, 4), '25': le(4711, 4), feaa: le(1, 4) },
    {
      '0e': Buffer.concat([le(604, 2), le(2, 2), le(0x0517, 2), le(0x01973e21, 4), le(-96, 2)]),
      '1d': Buffer.concat([Buffer.from('aabbccddeeff', 'hex'), le(-70, 2)]),
      '2b': Buffer.concat([le(1, 1), le(-550, 2)]),
      fe73: tag,
      '4b': Buffer.from('LTE'),
    },
  ]);
  const decoded = meitrack.decode(frameOf(content), anySession);
  assert.match(decoded.reply!.bytes.toString('latin1'), /^@@F27,\d+,CCE,1\*/);
  const [record] = decoded.records;
  assert.deepEqual(record!.location, { lat: 33.925621, lng: -6.91751 });
  assert.deepEqual(
    [record!.timestamp, record!.isValid, record!.sats, record!.gsmSignal, record!.batteryPct, record!.batteryVoltage],
    [WHEN, true, 17, 25, 87, 4.22],
  );
  assert.deepEqual([record!.speedKmh, record!.courseDeg, record!.hdop, record!.altitudeM], [24, 198, 0.5, -76]);
  assert.deepEqual(record!.alarms, ['powerCut']);
  const readings = readingsOf(record!);
  assert.deepEqual([readings.odometer_m, readings.runtime_s, readings.driver_id], [518_578, 163_903, '4711']);
  assert.deepEqual(
    [readings.din3, readings.dout1, readings.ext_voltage, readings.fuel_pct],
    [true, true, 14.25, 50.25],
  );
  assert.deepEqual(readings.cell, { mcc: 604, mnc: 2, lac: 0x0517, cid: 0x01973e21 });
  assert.deepEqual(readings.wifi, [{ mac: 'AA:BB:CC:DD:EE:FF', rssi: -70 }]);
  assert.equal(readings.temp2, -5.5);
  assert.deepEqual(
    record!.tagReadings?.map(({ type, value, sensorDeviceId }) => [type, value, sensorDeviceId]),
    [
      ['temp', -10.5, 'AC:23:3F:AF:07:6E'],
      ['humidity', 50.5, 'AC:23:3F:AF:07:6E'],
      ['battery', 100, 'AC:23:3F:AF:07:6E'],
    ],
  );
});

test('of a packet that is not whole the records that are there are read, and all are confirmed', () => {
  const whole = cce([{ '05': le(1, 1) }, {}, PLACE, {}], [{ '05': le(1, 1) }, {}, PLACE, {}]);
  const decoded = meitrack.decode(frameOf(whole.subarray(0, whole.length - 3)), anySession);
  assert.equal(decoded.records.length, 1);
  assert.ok(decoded.problem);
  assert.match(decoded.reply!.bytes.toString('latin1'), /,CCE,2\*/);
});

test('a wrong checksum is damage, unless it is to be accepted', () => {
  const frame = frameOf(REPORT);
  frame[30]! ^= 1;
  assert.deepEqual(
    [meitrack.decode(frame, anySession).isDamaged, meitrack.decode(frame, anySession).records],
    [true, []],
  );
  assert.equal(meitrack.decode(frame, { ...anySession, acceptsWrongChecksum: true }).records.length, 1);
});

test('a line whose length is not true ends where its checksum is', () => {
  const wrong = Buffer.from(
    frameOf(REPORT)
      .toString('latin1')
      .replace(/^\$\$F\d+/, '$$$$F99'),
    'latin1',
  );
  const { frames, remaining, skipped } = meitrack.split(Buffer.concat([wrong, frameOf('C01,OK')]));
  assert.deepEqual(
    frames.map((frame) => frame.length),
    [wrong.length, frameOf('C01,OK').length],
  );
  assert.deepEqual([remaining.length, skipped], [0, 0]);
});

test('a line whose length is a byte too long is cut as soon as it is there', () => {
  const body = `,${IMEI},D82,0*`;
  const start = `$$u${body.length + 5}`;
  const line = Buffer.from(
    `${start}${body}${sumOf(start + body)
      .toString(16)
      .toUpperCase()
      .padStart(2, '0')}\r\n`,
  );
  assert.deepEqual(meitrack.split(line).frames, [line]);
  assert.deepEqual(meitrack.split(Buffer.concat([line, frameOf(REPORT)])).frames, [line, frameOf(REPORT)]);
});

test('a frame without the end of its line is read', () => {
  const frame = frameOf(REPORT);
  assert.equal(meitrack.decode(frame.subarray(0, frame.length - 2), anySession).records.length, 1);
});

test('AAC is answered at once', () => {
  const { reply } = meitrack.decode(frameOf('AAC,1'), anySession);
  assert.equal(reply?.when, 'now');
  assert.match(reply!.bytes.toString('latin1'), new RegExp(`^@@z27,${IMEI},AAC,1\\*[0-9A-F]{2}\r\n$`));
});

test('a device reads the commands that it is sent, and its reply names the command', () => {
  const session = { ...anySession, identity: IMEI };
  const sent = (name: CommandName, parameters = {}) => {
    const encoded = meitrack.encode!({ name, parameters, number: 5 }, session);
    if (!encoded) return undefined;
    const text = encoded.bytes.toString('latin1');
    const [, flag, length, imei, content, sum] = /^@@(.)(\d+),(\d+),(.*)\*([0-9A-F]{2})\r\n$/.exec(text)!;
    assert.equal(Number(length), text.length - text.indexOf(','));
    assert.equal(Number.parseInt(sum!, 16), sumOf(text.slice(0, -4)));
    assert.deepEqual([imei, flag], [IMEI, encoded.correlation]);
    return content;
  };
  assert.equal(sent('position'), 'A10');
  assert.equal(sent('reboot'), 'F01');
  assert.equal(sent('interval', { seconds: 120 }), 'A12,12');
  assert.equal(sent('engineStop'), 'C01,0,12222');
  assert.equal(sent('engineResume'), 'C01,0,02222');
  assert.equal(sent('output', { output: 3, on: true }), 'C01,0,22122');
  assert.equal(sent('alarmArm'), undefined);
  const flag = meitrack.encode!({ text: 'E91', number: 57 }, session)!.correlation;
  assert.equal(flag, 'z');
  assert.deepEqual(meitrack.decode(frameOf('E91,FWV1.00,1234', 'z'), anySession).commandReply, {
    text: 'E91,FWV1.00,1234',
    correlation: 'z',
  });
  assert.equal(meitrack.decode(frameOf('C01,Error', 'z'), anySession).commandReply?.isFailure, true);
  assert.equal(meitrack.decode(frameOf(withEvent(34), 'q'), anySession).commandReply?.correlation, 'q');
});
