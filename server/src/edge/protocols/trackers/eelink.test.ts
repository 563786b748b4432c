import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eelink } from './eelink.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import type { CommandName, TrackerRecord } from './tracker.ts';

const IMEI = '354188048612829';
const WHEN = Date.parse('2024-05-06T07:08:09Z');
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const be = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  if (value < 0) buffer.writeIntBE(value, 0, bytes);
  else buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

const packageOf = (type: number, body: Buffer, serial = 0x0021) =>
  Buffer.concat([hex('6767'), be(type, 1), be(body.length + 2, 2), be(serial, 2), body]);

/** The sum as the maker describes it: turned by one bit, then the byte added. */
function datagramOf(...packages: readonly Buffer[]): Buffer {
  const content = Buffer.concat([hex(`0${IMEI}`), ...packages]);
  let sum = 0;
  for (const byte of content) sum = (((sum * 2) % 65_536) + (sum >= 32_768 ? 1 : 0) + byte) % 65_536;
  return Buffer.concat([Buffer.from('EL'), be(content.length + 2, 2), be(sum, 2), content]);
}

const LOGIN = packageOf(0x01, Buffer.concat([hex(`0${IMEI}`), hex('01 20')]));
const PLACE = Buffer.concat([be(-15.5 * 1_800_000, 4), be(113.25 * 1_800_000, 4)]);
const GPS = Buffer.concat([PLACE, be(-33, 2), be(42, 2), be(270, 2), be(7, 1)]);
const CELL = hex('01cc 0001 a53f 0170f0ab 13');
/** Everything known, ignition on, armed off, relay on, charging, moving. */
const STATUS = hex('07ef');

const decode = (frame: Buffer, more = {}) => eelink.decode(frame, { ...anySession, ...more });
const recordOf = (type: number, ...body: readonly Buffer[]) => decode(packageOf(type, Buffer.concat(body))).records[0]!;
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));
const at = be(WHEN / 1000, 4);

protocolSuite(
  eelink,
  [],
  [
    LOGIN,
    Buffer.concat([LOGIN, packageOf(0x03, STATUS), packageOf(0x12, Buffer.concat([at, hex('01'), GPS, STATUS]))]),
    datagramOf(packageOf(0x12, Buffer.concat([at, hex('01'), GPS, STATUS]))),
  ],
);

test('a login is answered at once, with the time', () => {
  const decoded = decode(LOGIN, { now: WHEN });
  assert.deepEqual(decoded.identities, [IMEI]);
  assert.equal(decoded.reply?.when, 'now');
  assert.deepEqual(decoded.reply?.bytes, packageOf(0x01, Buffer.concat([at, hex('0001 00')])));
});

test('a heartbeat tells the status, and is answered at once', () => {
  const decoded = decode(packageOf(0x03, STATUS));
  assert.deepEqual(decoded.reply, { when: 'now', bytes: packageOf(0x03, Buffer.alloc(0)) });
  assert.deepEqual(decoded.records, [
    {
      isValid: false,
      isCharging: true,
      readings: [
        { type: 'ignition', value: true },
        { type: 'armed', value: false },
        { type: 'relay', value: true },
        { type: 'moving', value: true },
      ],
    },
  ]);
  assert.deepEqual(readingsOf(recordOf(0x03, hex('0000'))), {}, 'nothing is known');
});

test('a position gives place, time and status, and is confirmed once it is stored', () => {
  const tail = hex('0f11 0064 00c8 0000c2d0 001c 0016 0102 0000  1580 01f4 00000100 00000190  fce0');
  const tags = hex('02 02  f1a00220f0fe a7 00 b1 0c 0be9 1510 0018  372cfb9e84c3 a0 00 29 02 0f51 0000 0000');
  const decoded = decode(
    packageOf(0x12, Buffer.concat([at, hex('13'), GPS, CELL, hex('aabbccddeeff c4'), STATUS, tail, tags])),
  );
  assert.deepEqual(decoded.reply, { when: 'afterDurable', bytes: packageOf(0x12, Buffer.alloc(0)) });
  const record = decoded.records[0]!;
  assert.deepEqual([record.timestamp, record.location, record.isValid], [WHEN, { lat: -15.5, lng: 113.25 }, true]);
  assert.deepEqual([record.altitudeM, record.speedKmh, record.courseDeg, record.sats], [-33, 42, 270, 7]);
  assert.deepEqual([record.batteryVoltage, record.isCharging], [3.857, true]);
  const { ain1, ain2, ...readings } = readingsOf(record);
  assert.deepEqual([ain1, ain2], [0.1, 0.2]);
  assert.deepEqual(readings, {
    cell: { mcc: 460, mnc: 1, lac: 0xa53f, cid: 0x0170f0ab },
    wifi: [{ mac: 'AA:BB:CC:DD:EE:FF', rssi: -60 }],
    ignition: true,
    armed: false,
    relay: true,
    moving: true,
    odometer_m: 49_872,
    steps: 258,
    temp: 21.5,
    humidity: 50,
    light: 1,
    co2: 400,
    temp2: -50,
  });
  assert.deepEqual(
    record.tagReadings?.map(({ type, value, sensorDeviceId, rssi }) => [type, value, sensorDeviceId, rssi]),
    [
      ['battery_mv', 3049, 'F1:A0:02:20:F0:FE', -89],
      ['temp', 21.0625, 'F1:A0:02:20:F0:FE', -89],
      ['battery_mv', 3921, '37:2C:FB:9E:84:C3', -96],
    ],
  );
});

test('without a fix the place is the last known one, or there is none', () => {
  const last = recordOf(0x12, at, hex('01'), GPS, hex('0000'));
  assert.deepEqual([last.location?.lat, last.isValid], [-15.5, false]);
  const none = recordOf(0x12, at, hex('02'), CELL, hex('0001'));
  assert.deepEqual([none.location, none.isValid], [undefined, false]);
});

test('cells of LTE are read', () => {
  const lte = hex('07 02  01cc 0001 ffff 1234 00abcdef 0000  0001 0002 30  0003 0004 20');
  assert.deepEqual(readingsOf(recordOf(0x12, at, hex('80'), lte, hex('0001'))).cell, {
    mcc: 460,
    mnc: 1,
    lac: 0x1234,
    cid: 0xabcdef,
  });
});

for (const [code, alarm] of [
  [0x01, 'powerOff'],
  [0x02, 'sos'],
  [0x03, 'lowBattery'],
  [0x04, 'vibration'],
  [0x08, 'antennaCut'],
  [0x09, 'antennaCut'],
  [0x25, 'tamper'],
  [0x81, 'general'],
  [0x82, 'overspeed'],
  [0x83, 'geofenceEnter'],
  [0x84, 'geofenceExit'],
  [0x85, 'crash'],
  [0x86, 'fall'],
] as const)
  test(`warning ${code.toString(16)} is ${alarm}`, () => {
    const warning = packageOf(0x14, Buffer.concat([at, hex('01'), GPS, be(code, 1), STATUS]));
    assert.deepEqual(decode(warning).records[0]!.alarms, [alarm]);
    assert.deepEqual([decode(warning).records[0]!.isValid, decode(warning).reply?.when], [true, 'afterDurable']);
    assert.deepEqual(recordOf(0x04, at, PLACE, hex('2a 010e 01cc 0001 a53f 00a98a 01'), be(code, 1)).alarms, [alarm]);
  });

test('a report says what caused it', () => {
  assert.equal(readingsOf(recordOf(0x15, at, hex('01'), GPS, hex('05'), STATUS)).event_code, 5);
});

test('packages of old firmware are read, and the position among them is not answered', () => {
  const old = Buffer.concat([at, PLACE, hex('2a 010e 01cc 0001 a53f 00a98a 01')]);
  const position = decode(packageOf(0x02, Buffer.concat([old, hex('006e 1145 0031 0151 0000')])));
  assert.equal(position.reply, undefined);
  const record = position.records[0]!;
  assert.deepEqual([record.timestamp, record.location, record.isValid], [WHEN, { lat: -15.5, lng: 113.25 }, true]);
  assert.deepEqual([record.speedKmh, record.courseDeg, record.batteryVoltage, record.gsmSignal], [42, 270, 4.421, 49]);
  assert.deepEqual(readingsOf(record).cell, { mcc: 460, mnc: 1, lac: 0xa53f, cid: 0xa98a });
  const state = decode(packageOf(0x05, Buffer.concat([old, hex('02'), at, hex('006e')])));
  assert.equal(state.reply?.when, 'afterDurable');
  assert.deepEqual([readingsOf(state.records[0]!).event_code, readingsOf(state.records[0]!).ignition], [2, true]);
});

test("what the vehicle's own network says is read", () => {
  const readings = readingsOf(recordOf(0x07, at, hex('8a 0000aef7  8b 0000001f  0d 11555555')));
  assert.deepEqual([readings.obd_odometer_m, readings.fuel_l, readings.io], [44_791_000, 3.1, { '0d': '11555555' }]);
  assert.equal(readingsOf(recordOf(0x07, hex('0077 035d'))).ignition, true);
});

test('a datagram names the device and may hold several packages; its answer does too', () => {
  const first = packageOf(0x12, Buffer.concat([at, hex('01'), GPS, STATUS]), 1);
  const second = packageOf(0x03, STATUS, 2);
  const decoded = decode(datagramOf(first, second), { transport: 'udp' });
  assert.deepEqual(decoded.identities, [IMEI]);
  assert.equal(decoded.records.length, 2);
  const answers = [packageOf(0x12, Buffer.alloc(0), 1), packageOf(0x03, Buffer.alloc(0), 2)];
  assert.deepEqual(decoded.reply, { when: 'afterDurable', bytes: datagramOf(...answers) });
  const damaged = datagramOf(first);
  damaged[20]! ^= 1;
  assert.deepEqual([decode(damaged).isDamaged, decode(damaged).records], [true, []]);
  assert.equal(decode(damaged, { acceptsWrongChecksum: true }).identities?.[0], IMEI);
});

test('a device reads the commands that it is sent, and its reply names the command', () => {
  const sent = (name: CommandName) => {
    const encoded = eelink.encode!({ name, parameters: {}, number: 77 }, anySession);
    if (!encoded) return undefined;
    const { bytes } = encoded;
    assert.equal(bytes.toString('hex', 0, 3), '676780');
    assert.equal(bytes.readUInt16BE(3), bytes.length - 5);
    assert.deepEqual([bytes[7], String(bytes.readUInt32BE(8))], [1, encoded.correlation]);
    return bytes.toString('utf8', 12);
  };
  assert.equal(sent('position'), 'WHERE#');
  assert.equal(sent('reboot'), 'RESET#');
  assert.equal(sent('engineStop'), 'RELAY,1#');
  assert.equal(sent('engineResume'), 'RELAY,0#');
  assert.equal(sent('interval'), undefined);
  const byUdp = eelink.encode!({ text: 'VERSION#', number: 77 }, { ...anySession, transport: 'udp', identity: IMEI });
  const body = Buffer.concat([hex('01 0000004d'), Buffer.from('VERSION#')]);
  assert.deepEqual(byUdp?.bytes, datagramOf(packageOf(0x80, body, 0)));
  const reply = decode(packageOf(0x80, Buffer.concat([hex('01 0000004d'), Buffer.from('RELAY,1# OK')])));
  assert.deepEqual(reply.commandReply, { text: 'RELAY,1# OK', correlation: '77' });
});

test('where a device is, it may say in words', () => {
  const words = 'Lat:S31.83955,Lon:E82.61346,Course:12.50,Speed:42.00km/h,DateTime:2024-05-06 07:08:09';
  const record = recordOf(0x80, hex('01 00000001'), Buffer.from(words));
  assert.deepEqual(
    [record.timestamp, record.location, record.isValid],
    [WHEN, { lat: -31.83955, lng: 82.61346 }, true],
  );
  assert.deepEqual([record.courseDeg, record.speedKmh], [12.5, 42]);
});
