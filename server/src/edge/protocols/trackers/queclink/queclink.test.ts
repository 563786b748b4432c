import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anySession, framesOf, protocolSuite } from '../protocol-suite.ts';
import type { DecodedFrame, TrackerCommand, TrackerRecord, TrackerSession } from '../tracker.ts';
import { queclink } from './queclink.ts';

const IMEI = '123456789012345';
const TIME = Date.parse('2026-03-05T10:20:30Z');
const FIX = '20260305102030';
const SENT = '20260305102035,11F0';

interface Group {
  readonly hdop?: string;
  readonly place?: string;
  readonly time?: string;
}

/** As devices send it: longitude before latitude. */
const group = ({ hdop = '1', place = '11.575000,48.137000', time = FIX }: Group = {}) =>
  `${hdop},42.1,90,519.3,${place},${time},0262,0001,18d8,6141`;

/** @param told what stands between the name of the device and the time of sending. */
const text = (word: string, reported: string, { kind = 'RESP', version = '060100' } = {}) =>
  Buffer.from(`+${kind}:GT${word},${version},${IMEI},,${reported},${SENT}$`, 'latin1');

const now = TIME + 5000;
const decode = (frame: Buffer, session: Partial<TrackerSession> = {}): DecodedFrame =>
  queclink.decode(frame, { ...anySession, now, ...session });

function only(frame: Buffer, session?: Partial<TrackerSession>): TrackerRecord {
  const { records, problem } = decode(frame, session);
  assert.equal(problem, undefined);
  assert.equal(records.length, 1);
  return records[0]!;
}

const valuesOf = (record: TrackerRecord, type: string) =>
  record.readings?.filter((reading) => reading.type === type).map(({ value }) => value);

const FRI = text('FRI', `13500,10,1,${group()},00,2000.5,12345:30:00,,,80,220100,,,`);
/** The binary mode: its length stands at byte 9. */
const BINARY = Buffer.from('2b525350 07 00fc1fbf 0014 24 0102030405 beef 0d0a'.replaceAll(' ', ''), 'hex');
BINARY.writeUInt16BE(BINARY.length, 9);

protocolSuite(queclink, [
  FRI,
  Buffer.concat([
    Buffer.from(`+ACK:GTHBD,060100,${IMEI},,${SENT}$`),
    text('SOS', `00,1,${group()},00`, { kind: 'BUFF' }),
    BINARY,
    FRI,
  ]),
]);

describe('queclink: frames', () => {
  test('texts end with $ or NUL, and lines may end between them', () => {
    const old = Buffer.from(FRI);
    old[old.length - 1] = 0;
    const { frames, skipped } = queclink.split(Buffer.concat([old, Buffer.from('\r\n'), FRI]));
    assert.deepEqual([frames, skipped], [[old, FRI], 0]);
    assert.deepEqual(decode(old).records, decode(FRI).records);
  });

  test('the binary mode is cut by its length, and kept', () => {
    assert.deepEqual(framesOf(queclink, [Buffer.concat([BINARY, FRI])]), [BINARY.toString('hex'), FRI.toString('hex')]);
    assert.ok(decode(BINARY).problem !== undefined);
  });

  test('a text without an end is dropped, and the next is found', () => {
    const endless = Buffer.concat([Buffer.from('+RESP:'), Buffer.alloc(queclink.maxFrameBytes, 0x41)]);
    assert.deepEqual(queclink.split(Buffer.concat([endless, FRI])).frames, [FRI]);
  });

  test('a datagram without an end is whole', () => {
    const bare = FRI.subarray(0, -1);
    assert.deepEqual(queclink.splitDatagram!(bare).frames, [bare]);
  });
});

describe('queclink: locations', () => {
  test('a report of a vehicle', () => {
    const record = only(FRI);
    assert.deepEqual(record.location, { lat: 48.137, lng: 11.575 });
    assert.deepEqual(
      [record.timestamp, record.isValid, record.speedKmh, record.courseDeg, record.altitudeM, record.hdop],
      [TIME, true, 42.1, 90, 519.3, 1],
    );
    assert.deepEqual(valuesOf(record, 'cell'), [{ mcc: 262, mnc: 1, lac: 0x18d8, cid: 0x6141 }]);
    assert.deepEqual(
      ['odometer_m', 'engine_hours', 'ext_voltage', 'ignition', 'moving'].map((type) => valuesOf(record, type)?.[0]),
      [2_000_500, 12_345.5, 13.5, true, true],
    );
    assert.equal(record.batteryPct, 80);
    assert.deepEqual(decode(FRI).identities, [IMEI]);
  });

  test('a report of a person, with several locations', () => {
    const later = group({ time: '20260305102130', place: '-11.575100,-48.137100' });
    const { records } = decode(text('FRI', `0,0,2,${group()},25.2,${later},25.3,83`, { version: '1A0900' }));
    assert.deepEqual(
      records.map(({ location, timestamp }) => [location, timestamp]),
      [
        [{ lat: 48.137, lng: 11.575 }, TIME],
        [{ lat: -48.1371, lng: -11.5751 }, TIME + 60_000],
      ],
    );
    assert.deepEqual(
      records.map(({ batteryPct }) => batteryPct),
      [undefined, 83],
    );
    assert.deepEqual(valuesOf(records[1]!, 'odometer_m'), [25_300]);
  });

  test('satellites, access points and long cells', () => {
    const sats = only(text('IGN', `379,1,0.0,105,532.2,11.575000,48.137000,${FIX},0730,0001,333A,00CFA301,01,11,,7.5`));
    assert.deepEqual([sats.sats, valuesOf(sats, 'odometer_m')], [11, [7500]]);
    assert.deepEqual(valuesOf(sats, 'cell'), [{ mcc: 730, mnc: 1, lac: 0x333a, cid: 0xcfa301 }]);
    const wifi = only(
      text(
        'FRI',
        `0,1,1,5,12,0.1,0,46.8,11.575000,48.137000,${FIX},2,0e36c9916485,-50,,,,e831cd5eb79d,-73,,,,310,10,711D,81ECF0F,00,,93`,
      ),
    );
    assert.deepEqual(valuesOf(wifi, 'wifi'), [
      [
        { mac: '0E:36:C9:91:64:85', rssi: -50 },
        { mac: 'E8:31:CD:5E:B7:9D', rssi: -73 },
      ],
    ]);
    assert.deepEqual([wifi.batteryPct, valuesOf(wifi, 'cell')?.length], [93, 1]);
  });

  test('a fix of long ago is where it was, and what happens happens now', () => {
    const frame = text('SOS', `00,1,${group({ hdop: '0' })},00`);
    const [place, alarm] = decode(frame, { now: TIME + 3_600_000 }).records;
    assert.deepEqual([place?.timestamp, place?.alarms], [TIME, undefined]);
    assert.deepEqual([alarm?.timestamp, alarm?.alarms, alarm?.location], [undefined, ['sos'], undefined]);
    assert.deepEqual(only(frame).alarms, ['sos'], 'a fix of just now is one with it');
  });

  test('without a fix there is a cell, and a kept report has its own time', () => {
    const reported = '0,0,,,,,,,0262,0001,22C4,13E5,00,,';
    const record = only(text('IGF', reported, { kind: 'BUFF' }));
    assert.deepEqual([record.location, record.timestamp], [undefined, TIME + 5000]);
    assert.deepEqual(valuesOf(record, 'cell'), [{ mcc: 262, mnc: 1, lac: 0x22c4, cid: 0x13e5 }]);
    assert.equal(only(text('IGF', reported, { kind: 'BUFF' }), { now: TIME - 3_600_000 }).timestamp, undefined);
  });

  test('(0, 0) is no place', () => {
    const record = only(text('FRI', `,10,1,${group({ place: '0.000000,0.000000' })},00,,,,,80,210100,,,`));
    assert.deepEqual([record.location, record.isValid, record.batteryPct], [{ lat: 0, lng: 0 }, false, 80]);
  });

  test('old devices say the IMEI first', () => {
    const old = Buffer.from(`+RESP:GTTRI,${IMEI},1,0,99,${group()},00,0103010100,${SENT}$`);
    assert.deepEqual(decode(old).identities, [IMEI]);
    assert.equal(only(old).timestamp, TIME);
  });
});

describe('queclink: events', () => {
  const alarmsOf = (word: string, reported: string) => only(text(word, reported)).alarms;

  test('words are alarms', () => {
    assert.deepEqual(alarmsOf('SOS', `00,1,${group()},00`), ['sos']);
    assert.deepEqual(alarmsOf('MPF', `${group()},00`), ['powerCut']);
    assert.deepEqual(alarmsOf('PNA', ''), ['powerOn']);
    assert.deepEqual(alarmsOf('HBM', `,12,1,${group()},00`), ['harshCornering']);
    assert.deepEqual(alarmsOf('HBM', `,03,1,${group()},00`), ['harshBraking']);
    assert.deepEqual(alarmsOf('GEO', `,01,1,${group()},00`), ['geofenceEnter']);
    assert.deepEqual(alarmsOf('GEO', `,10,1,${group()},00`), ['geofenceExit']);
    assert.deepEqual(alarmsOf('JDS', `2,${group()},00`), ['jamming']);
    assert.deepEqual(alarmsOf('JDS', `1,${group()},00`), undefined);
    assert.deepEqual(alarmsOf('STT', `42,${group()},00`), ['movement']);
  });

  test('the ignition, inputs, batteries, drivers and beacons', () => {
    const value = (word: string, reported: string, type: string) => valuesOf(only(text(word, reported)), type)?.[0];
    assert.equal(value('IGF', `1200,${group()},00,12345:12:34,2000.0`, 'ignition'), false);
    assert.equal(value('IGL', `,01,1,${group()},,0.0`, 'ignition'), true);
    assert.equal(value('DIS', `,21,1,${group()},00,2000.0`, 'din2'), true);
    assert.equal(value('IDA', `,01C68011010000C7,1,1,${group()},00,34.9`, 'driver_id'), '01C68011010000C7');
    assert.equal(only(text('BPL', `3.53,${group()},`)).batteryVoltage, 3.53);
    assert.equal(only(text('BTC', `${group()},00`)).isCharging, true);
    const tagReadings = only(text('BID', `1,0,000A,B80EA11FF800,2934,${group()},`)).tagReadings;
    assert.deepEqual(tagReadings, [{ sensorDeviceId: 'B8:0E:A1:1F:F8:00', type: 'battery_voltage', value: 2.934 }]);
  });

  test('information, cells and access points without a place', () => {
    const info = only(text('INF', `16,898600810906F8048812,16,0,1,11870,,4.1,0,0,0,,${FIX},,12340,,00,00,+0800,0`));
    assert.deepEqual([info.gsmSignal, info.batteryVoltage], [16, 4.1]);
    assert.deepEqual([valuesOf(info, 'iccid'), valuesOf(info, 'ext_voltage')], [['898600810906F8048812'], [11.87]]);
    assert.deepEqual(valuesOf(only(text('VER', 'GL300,0A03,0103')), 'firmware'), ['0A03']);
    assert.equal(only(text('CSQ', '16,0')).gsmSignal, 16);
    const cells = only(text('GSM', '0262,0001,0870,2469,19,,0262,0001,0870,35ee,18,'));
    assert.equal((valuesOf(cells, 'cells')![0] as unknown[]).length, 2);
    const wifi = only(text('WIF', '1,c413e200ff14,-39,,,,,,,,100'));
    assert.deepEqual([valuesOf(wifi, 'wifi'), wifi.batteryPct], [[[{ mac: 'C4:13:E2:00:FF:14', rssi: -39 }]], 100]);
  });

  test('what the mask of an ERI says', () => {
    const status = (mask: string, remaining: string) =>
      only(text('ERI', `${mask},12003,10,1,${group()},00,1052.1,,0,100,210700,${remaining}`));
    assert.deepEqual(valuesOf(status('00000002', '2,1,28FF4560A3150483,1,FFB0'), 'temp'), [-5]);
    assert.deepEqual(valuesOf(status('00000018', '1,1,4,75.5,40.0'), 'fuel_pct'), [75.5]);
    const sensors = status('00000100', '0,1,00,6,5,0E71,283F,SENTEMP1,7805412CF2DD,1,3466,24,36,24.91,100').tagReadings;
    assert.deepEqual(
      sensors?.map(({ sensorDeviceId, type, value }) => [sensorDeviceId, type, value]),
      [
        ['78:05:41:2C:F2:DD', 'temp', 24.91],
        ['78:05:41:2C:F2:DD', 'humidity', 36],
        ['78:05:41:2C:F2:DD', 'battery_pct', 100],
      ],
    );
  });

  test('the bus of a vehicle', () => {
    const record = only(text('CAN', '00,1,C03FFFFF,YS2K4X20001928588,2,H46358,12305.50,601,0,83,,P53.00,,'));
    assert.deepEqual(
      ['vin', 'ignition', 'odometer_m', 'rpm', 'engine_temp', 'fuel_pct'].map((type) => valuesOf(record, type)?.[0]),
      ['YS2K4X20001928588', true, 4_635_800, 601, 83, 53],
    );
  });
});

describe('queclink: answers and commands', () => {
  test('a heartbeat is answered at once, all else once it is stored', () => {
    const heartbeat = decode(Buffer.from(`+ACK:GTHBD,060100,${IMEI},,20260305102030,0859$`));
    assert.deepEqual(
      [heartbeat.reply?.when, heartbeat.reply?.bytes.toString(), heartbeat.commandReply],
      ['now', '+SACK:GTHBD,060100,0859$', undefined],
    );
    const { reply } = decode(FRI);
    assert.deepEqual([reply?.when, reply?.bytes.toString()], ['afterDurable', '+SACK:11F0$']);
    assert.equal(decode(FRI, { transport: 'udp' }).reply, undefined);
  });

  /** What a device makes of a command, by its manual: the word, its password, and the serial at the end. */
  function readByDevice(bytes: Buffer) {
    const [, word, reported] = /^AT\+GT([A-Z]{3})=(.*)\$$/.exec(bytes.toString('latin1'))!;
    const fields = reported!.split(',');
    return { word: word!, password: fields[0], what: fields[1], serial: fields.at(-1)! };
  }
  const memory = decode(FRI).remember!;
  const encode = (command: TrackerCommand, session: Partial<TrackerSession> = {}) =>
    queclink.encode!(command, { ...anySession, memory, ...session });

  test('the reply names the command by word and serial', () => {
    const { bytes, correlation } = encode({ name: 'position', parameters: {}, number: 0xab })!;
    const { word, password, what, serial } = readByDevice(bytes);
    assert.deepEqual([word, password, what, serial], ['RTO', 'gv300', '1', '00AB']);
    const { commandReply } = decode(text(word, `RTL,${serial}`, { kind: 'ACK' }));
    assert.deepEqual(commandReply, { text: 'GTRTO RTL', correlation });
  });

  test('outputs, passwords and texts', () => {
    const output = (parameters: Record<string, string | number | boolean>) =>
      encode({ name: 'output', parameters, number: 1 })?.bytes.toString();
    assert.equal(output({ on: true, password: 'Secret1' }), 'AT+GTOUT=Secret1,1,,,0,0,0,0,0,0,0,,,,,,,0001$');
    assert.equal(output({ output: 2, on: true }), undefined);
    assert.equal(output({ on: true, password: 'a,b' }), undefined);
    assert.equal(encode({ text: 'AT+GTRTO=gv300,3,,,,,,00FF$', number: 1 })?.correlation, 'RTO:00FF');
    assert.equal(encode({ text: 'reboot', number: 1 }), undefined);
    assert.equal(encode({ name: 'reboot', parameters: {}, number: 1 }, { memory: {} }), undefined, 'no password');
  });
});
