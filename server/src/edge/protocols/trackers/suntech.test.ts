import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { suntech } from './suntech.ts';
import type { CommandName, TrackerRecord, TrackerSession } from './tracker.ts';

const line = (text: string) => Buffer.from(`${text}\r`, 'latin1');
const decode = (text: string | Buffer, more: Partial<TrackerSession> = {}) =>
  suntech.decode(typeof text === 'string' ? line(text) : text, { ...anySession, ...more });
const recordOf = (text: string | Buffer) => decode(text).records[0]!;
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));

const POSITION = '20240506;07:08:09;16d41;-15.618755;-056.083241;042.500;270.25;8;1;41548;12.17;110010';
const ST300 = `ST300STT;100850000;01;010;${POSITION};2;1979;001257;4.2;1`;
const ST600 = `ST600STT;100850000;20;419;${POSITION.replace('16d41;', '0032cc3e;736;3;445c;41;')};2;0336;000061;4.5;0;0.00`;
const SA200 = `SA200STT;317652;042;${POSITION};2;1979`;
const UNIVERSAL =
  'STT;0560001616;BFFFFF;56;1.0.15;1;20240506;07:08:09;00008D6C;334;20;0925;24;-15.618755;-056.083241;42.50;270.25;19;1;00000011;00000001;2;1;1765;00008003;0.0;12.14;136598';
const WHEN = Date.parse('2024-05-06T07:08:09Z');
const PLACE = { lat: -15.618755, lng: -56.083241 };

/** A report of the serial port: its own length, any bytes, a checksum. */
const uex = (data: string) => `ST300UEX;100850000;01;010;${POSITION};${data.length};${data};B1;001257;4.1;1`;

function zip(): Buffer {
  const body =
    '10 100850000f 28 0123 180506070809 1051 29 0f618755 38083241 002a50 010e25 e0 0000a24c 0c17 13 02'.replaceAll(
      ' ',
      '',
    );
  const length = (body.length / 2).toString(16).padStart(4, '0');
  return Buffer.from(`02${length}${body}03`, 'hex');
}

function binary(type: '81' | '82', mode: string): Buffer {
  const body =
    `0520001338 3fffff 34 010003 01 180506 070809 00008d6c 014e 0014 0925 18 80ee5283 8357c2a9 109a 6991 14 01 03 01 ${mode} 0001 00a8`.replaceAll(
      ' ',
      '',
    );
  return Buffer.from(`${type}${(body.length / 2).toString(16).padStart(4, '0')}${body}`, 'hex');
}

protocolSuite(
  suntech,
  [
    Buffer.concat([line(ST300), Buffer.from('\n'), line(UNIVERSAL)]),
    zip(),
    line(`BLE;0820012345;82;1.0.0;20240506;07:08:09;+32.691615;-117.297160;1;-32;-100;33;AABBCCDDEEFF;12;18;52`),
  ],
  [
    Buffer.concat([line(ST300), Buffer.from('\n'), line(uex('a\r\nb;c\r')), line(UNIVERSAL)]),
    Buffer.concat([line(SA200), zip(), binary('81', '02'), line('ST300CMD;Res;100850000;010;Enable1')]),
    binary('82', '29'),
  ],
);

for (const [name, text] of [
  ['ST300', ST300],
  ['ST600', ST600],
  ['ST600 without its cell in full', ST600.replace('0032cc3e;736;3;445c;41', '0032cc3e')],
  ['ST500', ST300.replaceAll('ST300', 'ST500').replace('16d41;', '')],
  ['SA200', SA200],
] as const)
  test(`${name} tells where the vehicle is`, () => {
    const decoded = decode(text);
    assert.deepEqual(decoded.identities, [name === 'SA200' ? '317652' : '100850000']);
    assert.equal(decoded.reply, undefined, 'TCP is not answered');
    const record = decoded.records[0]!;
    assert.deepEqual([record.timestamp, record.location, record.isValid], [WHEN, PLACE, true]);
    assert.deepEqual([record.speedKmh, record.courseDeg, record.sats], [42.5, 270.25, 8]);
    const readings = readingsOf(record);
    assert.deepEqual([readings.odometer_m, readings.ext_voltage], [41_548, 12.17]);
    assert.deepEqual(
      [readings.ignition, readings.din1, readings.din2, readings.dout1, readings.dout2],
      [true, true, false, true, false],
    );
    assert.equal(record.alarms, undefined);
  });

test('without a fix the place is the last known one', () => {
  const record = recordOf(ST300.replace(';8;1;41548', ';0;0;41548'));
  assert.deepEqual([record.location, record.isValid], [PLACE, false]);
});

test('what a model adds is read by its form', () => {
  const record = recordOf(`${ST300};0.00;0.00;0.00;01488BF1160000;1;2898E16006000058:-20.8;:;2861626006000039:+2.5`);
  assert.equal(record.batteryVoltage, 4.2);
  const readings = readingsOf(record);
  assert.deepEqual([readings.engine_hours, readings.driver_id], [20.95, '01488BF1160000']);
  assert.deepEqual([readings.temp, readings.temp2, readings.temp3], [-20.8, undefined, 2.5]);
  assert.deepEqual(readingsOf(recordOf(ST600)).cell, { mcc: 736, mnc: 3, lac: 0x445c, cid: 0x32cc3e });
  assert.deepEqual(readingsOf(recordOf(`${ST300};23675;724;5;-75;1351;1`)).cell, {
    mcc: 724,
    mnc: 5,
    lac: 1351,
    cid: 23_675,
  });
});

const legacy = (type: string, number: number) =>
  recordOf(`ST300${type};100850000;01;010;${POSITION};${number};001257;4.5;1`);

for (const [number, alarm] of [
  [1, 'sos'],
  [2, 'general'],
  [3, 'powerCut'],
  [5, 'door'],
  [6, 'door'],
  [7, 'movement'],
  [8, 'vibration'],
] as const)
  test(`emergency ${number} is ${alarm}`, () => assert.deepEqual(legacy('EMG', number).alarms, [alarm]));

for (const [number, alarm] of [
  [1, 'overspeed'],
  [3, 'antennaCut'],
  [5, 'geofenceExit'],
  [6, 'geofenceEnter'],
  [8, 'antennaCut'],
  [13, 'fault'],
  [14, 'lowBattery'],
  [15, 'vibration'],
  [16, 'crash'],
  [33, 'ignitionOn'],
  [34, 'ignitionOff'],
  [40, 'powerRestored'],
  [41, 'powerCut'],
  [42, 'sos'],
  [44, 'powerCut'],
  [45, 'fault'],
  [46, 'harshAcceleration'],
  [47, 'harshBraking'],
  [48, 'harshCornering'],
  [50, 'jamming'],
  [68, 'idle'],
  [132, 'door'],
] as const)
  test(`alert ${number} is ${alarm}`, () => {
    assert.deepEqual(legacy('ALT', number).alarms, [alarm]);
    const universal = UNIVERSAL.replace('STT;', 'ALT;').replace(';2;1;1765;', `;${number};1;1765;`);
    assert.deepEqual(recordOf(universal).alarms, [alarm]);
    assert.deepEqual(recordOf(binary('82', number.toString(16).padStart(2, '0'))).alarms, [alarm]);
  });

test('alerts that say that all is well again are none', () => {
  for (const number of [2, 4, 9, 10, 59]) assert.equal(legacy('ALT', number).alarms, undefined);
  assert.equal(legacy('EVT', 1).alarms, undefined);
  assert.equal(recordOf(binary('81', '29')).alarms, undefined);
});

test('the mask of a universal report says which fields it has', () => {
  const decoded = decode(UNIVERSAL);
  assert.deepEqual(decoded.identities, ['0560001616']);
  const record = decoded.records[0]!;
  assert.deepEqual([record.timestamp, record.location, record.isValid], [WHEN, PLACE, true]);
  assert.deepEqual([record.speedKmh, record.courseDeg, record.sats, record.gsmSignal], [42.5, 270.25, 19, 24]);
  const readings = readingsOf(record);
  assert.equal(readings.buffered, false);
  assert.equal(readingsOf(recordOf(UNIVERSAL.replace(';1;20240506', ';0;20240506'))).buffered, true);
  assert.equal(readingsOf(recordOf(ST600)).buffered, true);
  assert.deepEqual([readings.firmware, readings.ignition, readings.din1, readings.dout1], ['1.0.15', true, true, true]);
  assert.deepEqual(readings.cell, { mcc: 334, mnc: 20, lac: 0x0925, cid: 0x8d6c });
  assert.deepEqual(readings.io, { 1: '0.0', 2: '12.14', 16: '136598' });
  // Date, time, latitude, longitude and fix only.
  const short = recordOf('STT;0560001616;011830;20240506;07:08:09;-15.618755;-056.083241;0');
  assert.deepEqual([short.timestamp, short.location, short.isValid], [WHEN, PLACE, false]);
});

test('tags in a universal report are heard', () => {
  const { tagReadings, location } = recordOf(
    'BLE;0820012345;82;1.0.0;20240506;07:08:09;+32.691615;-117.297160;2;-32;-100;33;AABBCCDDEEFF;12;18;52;-44;-60;44;00112233445566778899AABBCCDDEEFF;32;69;101',
  );
  assert.deepEqual(location, { lat: 32.691615, lng: -117.29716 });
  assert.deepEqual(
    tagReadings?.map(({ sensorDeviceId, rssi }) => [sensorDeviceId, rssi]),
    [
      ['AA:BB:CC:DD:EE:FF', -32],
      ['00112233-4455-6677-8899-aabbccddeeff-69-101', -44],
    ],
  );
});

test('a report in binary is read as one in text', () => {
  for (const type of ['81', '82'] as const) {
    const decoded = decode(binary(type, '02'));
    assert.deepEqual(decoded.identities, ['0520001338']);
    const record = decoded.records[0]!;
    assert.deepEqual(
      [record.timestamp, record.location, record.isValid],
      [WHEN, { lat: -15.618691, lng: -56.083113 }, true],
    );
    assert.deepEqual([record.speedKmh, record.courseDeg, record.sats, record.gsmSignal], [42.5, 270.25, 20, 24]);
    const readings = readingsOf(record);
    assert.deepEqual([readings.ignition, readings.din1, readings.dout1], [true, true, true]);
  }
});

test('a truncated report in binary takes nothing of the reports in text after it', () => {
  const whole = binary('81', '02');
  const lines = [line(ST300), line(SA200)];
  for (let length = 5; length < whole.length; length += 1) {
    const { frames } = suntech.split(Buffer.concat([whole.subarray(0, length), ...lines]));
    assert.deepEqual(frames.slice(-2), lines, `${length} bytes of ${whole.length}`);
  }
});

test('the short form is read, and confirmed by UDP', () => {
  const decoded = decode(zip(), { transport: 'udp' });
  assert.deepEqual(decoded.identities, ['100850000']);
  const record = decoded.records[0]!;
  assert.deepEqual([record.timestamp, record.location, record.isValid], [WHEN, PLACE, true]);
  assert.deepEqual([record.speedKmh, record.courseDeg], [42.5, 270.25]);
  const readings = readingsOf(record);
  assert.deepEqual(
    [readings.odometer_m, readings.ext_voltage, readings.ignition, readings.din1],
    [41_548, 12.17, true, true],
  );
  assert.deepEqual(decoded.reply, { when: 'afterDurable', bytes: Buffer.from('15100850000f', 'hex') });
});

test('ST400 tells the cells it hears, with or without a place', () => {
  const cells = `21651;732;123;-65;1824;1${';0;0;0;0;0;0'.repeat(6)}`;
  const record = recordOf(
    `ST410STT;007272376;408;01;${cells};3.7;1;0156;1;20240506;07:08:09;-15.618755;-056.083241;42.500;270.25;10;1`,
  );
  assert.deepEqual([record.timestamp, record.location, record.isValid, record.sats], [WHEN, PLACE, true, 10]);
  assert.equal(record.batteryVoltage, 3.7);
  assert.deepEqual(readingsOf(record).cell, { mcc: 732, mnc: 123, lac: 1824, cid: 21_651 });
  const lost = recordOf(`ST410STT;007272376;408;01;${cells};3.7;1;0156;1;;;;;;;;`);
  assert.deepEqual([lost.location, lost.isValid, lost.batteryVoltage], [undefined, false, 3.7]);
  const newer = recordOf(
    `ST419STT;807587388;306;41;04;${cells};3.92;1;0185;1;00010000;26.1;1;20240506;07:08:09;-15.618755;-056.083241;42.5;270.25;6;1`,
  );
  assert.deepEqual([newer.location, newer.batteryVoltage], [PLACE, 3.92]);
});

test('ST900 has the kind of the report in its second field', () => {
  const location = decode(
    'ST910;Location;205576803;500;20240506;07:08:09;-15.618755;-056.083241;42.500;270.25;1;3.8;0;0;0019',
  );
  assert.deepEqual(location.identities, ['205576803']);
  assert.deepEqual([location.records[0]!.location, location.records[0]!.batteryVoltage], [PLACE, 3.8]);
  const alert = recordOf(
    'ST910;Alert;485195;20240506;07:08:09;3be0133057;-15.618755;-056.083241;42.5;270.25;0;286734;72',
  );
  assert.deepEqual([alert.alarms, alert.isValid, readingsOf(alert).odometer_m], [['general'], false, 286_734]);
});

test('data of the serial port may hold anything', () => {
  const bytes = line(uex('\u0002\r\n\r;\u00fe'));
  const { frames } = suntech.split(Buffer.concat([bytes, line(SA200)]));
  assert.equal(frames.length, 2);
  const record = recordOf(frames[0]!);
  assert.deepEqual([record.location, record.batteryVoltage, readingsOf(record).text], [PLACE, 4.1, '020d0a0d3bfe']);
  assert.equal(readingsOf(recordOf(uex('GTSL|6|1|0|22574684|1|\r\n'))).driver_id, '22574684');
  const probe = readingsOf(recordOf(uex('t_0=1C;N_0=0419.0;t_1=22\r\n')));
  assert.deepEqual([probe.temp, probe.temp2, probe.fuel_raw], [28, 34, 1049]);
  const universal = UNIVERSAL.replace('STT;', 'UEX;').replace(/;2;1;1765;.*/, ';5;hel\r\n;A7;;164');
  assert.equal(readingsOf(recordOf(universal)).text, 'hel');
});

test('keep-alives and reports by UDP are confirmed in the words of the model', () => {
  assert.deepEqual(decode('ST300ALV;100850000', { transport: 'udp' }).reply, {
    when: 'now',
    bytes: line('ST300ACK;100850000'),
  });
  assert.deepEqual(decode(SA200, { transport: 'udp' }).reply, { when: 'afterDurable', bytes: line('SA200ACK;317652') });
});

test('the end of a trip tells the driver', () => {
  assert.equal(
    readingsOf(recordOf('ST300HTE;511050566;45;308;20240506;07:08:09;0;12.50;01488BF1160000')).driver_id,
    '01488BF1160000',
  );
});

test('what is not a report gives no record', () => {
  for (const text of [
    '-Error',
    'ST300CGF;100850000;02;1;1;37.000000;127.000000;50;1;1',
    'BSA;0820012345;001FFF;82',
    'STT;1;',
  ])
    assert.deepEqual(
      decode(text).records.filter(({ location }) => location),
      [],
    );
});

/** Reads a command as the device does: its own name, its own number, two digits or none, the words. */
function sent(session: Partial<TrackerSession>, name: CommandName, parameters = {}): string | undefined {
  const encoded = suntech.encode!({ name, parameters, number: 1 }, { ...anySession, ...session });
  return encoded?.bytes.toString('latin1');
}

test('a device reads the commands that it is sent, in the words of its model', () => {
  const legacy = { identity: '100850000', memory: decode(ST600).remember! };
  assert.equal(sent(legacy, 'engineStop'), 'ST600CMD;100850000;02;Enable1\r');
  assert.equal(sent(legacy, 'engineResume'), 'ST600CMD;100850000;02;Disable1\r');
  assert.equal(sent(legacy, 'position'), 'ST600CMD;100850000;02;StatusReq\r');
  assert.equal(sent(legacy, 'reboot'), 'ST600CMD;100850000;02;Reboot\r');
  assert.equal(sent(legacy, 'output', { output: 2, on: false }), 'ST600CMD;100850000;02;Disable2\r');
  const universal = { identity: '0560001616', memory: decode(UNIVERSAL).remember! };
  assert.equal(sent(universal, 'engineStop'), 'CMD;0560001616;04;01\r');
  assert.equal(sent(universal, 'engineResume'), 'CMD;0560001616;04;02\r');
  assert.equal(sent(universal, 'position'), 'CMD;0560001616;03;01\r');
  assert.equal(sent(universal, 'reboot'), 'CMD;0560001616;03;03\r');
  assert.equal(sent(universal, 'interval', { seconds: 10 }), undefined);
  assert.equal(
    sent({ identity: '317652' }, 'position'),
    'SA200CMD;317652;02;StatusReq\r',
    'by the length of its number',
  );
  assert.equal(sent({ identity: '123456789012345' }, 'position'), undefined);
  const text = suntech.encode!({ text: '05;1', number: 1 }, { ...anySession, ...universal });
  assert.equal(text?.bytes.toString('latin1'), 'CMD;0560001616;05;1\r');
});

test('the reply to a command is its words', () => {
  assert.deepEqual(decode('ST300CMD;Res;511848119;319H;Disable1').commandReply, { text: '319H;Disable1' });
  assert.deepEqual(decode('ST300CMD;Res;511848119;319H;Disable1').identities, ['511848119']);
  assert.deepEqual(decode('RES;0560001616;04;01').commandReply, { text: '04;01' });
});

test('emergencies and events of the universal form have a place, and an emergency is an alarm', () => {
  const read = (type: string) =>
    suntech.decode(line(UNIVERSAL.replace('STT', type)), anySession).records.map(({ location, timestamp, alarms }) => ({
      location,
      timestamp,
      alarms,
    }));
  assert.deepEqual(read('EMG'), [{ location: PLACE, timestamp: WHEN, alarms: ['general'] }]);
  assert.deepEqual(read('EVT'), [{ location: PLACE, timestamp: WHEN, alarms: undefined }]);
});
