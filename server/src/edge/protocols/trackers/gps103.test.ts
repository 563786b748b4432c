import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gps103 } from './gps103.ts';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { CommandName, TrackerSession } from './tracker.ts';

const ID = '123456789012345';
const LOGIN = `##,imei:${ID},A;`;
const HEARTBEAT = `${ID};`;
const PLACE = 'A,5230.0000,N,01315.0000,E,10.00,90,34.5';

const report = ({
  keyword = 'tracker',
  local = '210713124005',
  utc = '104005.000',
  place = PLACE,
  card = '',
  tail = '',
} = {}) => Buffer.from(`imei:${ID},${keyword},${local},${card},F,${utc},${place}${tail};`);

const decode = (frame: Buffer | string, changes: Partial<TrackerSession> = {}) =>
  gps103.decode(Buffer.from(frame), { ...anySession, ...changes });
const recordOf = (frame: Buffer | string, changes: Partial<TrackerSession> = {}) => decode(frame, changes).records[0]!;
const readingsOf = (frame: Buffer | string) =>
  Object.fromEntries((recordOf(frame).readings ?? []).map(({ type, value }) => [type, value]));
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(gps103, [
  Buffer.from(`${LOGIN}${HEARTBEAT}${report()}`),
  Buffer.from(`${report({ keyword: 'help me' })}\r\n${HEARTBEAT}\n`),
  Buffer.from(`imei:${ID},name,---,------,----,104005,130721,26,1,52.50000,13.25000,067,229,0674,1.00,08,0,1,---,*`),
]);

test('login and heartbeat are answered at once', () => {
  for (const [frame, answer] of [
    [LOGIN, 'LOAD'],
    [HEARTBEAT, 'ON'],
  ] as const) {
    const { identities, records, reply } = decode(frame);
    assert.deepEqual([identities, records, reply?.when, reply?.bytes.toString()], [[ID], [], 'now', answer]);
  }
  const glued = decode(`${ID}${report()}`);
  assert.deepEqual([glued.records[0]?.timestamp, glued.reply?.bytes.toString()], [AT, 'ON']);
});

test('a damaged number names no other device', () => {
  const { identities, problem } = decode(String(report()).replace(/imei:(\d{8})\d/, 'imei:$1\xff'));
  assert.deepEqual([identities, problem], [undefined, 'not a report']);
});

test('a report is a position, in knots', () => {
  const { identities, records, reply } = decode(report({ tail: ',1,0,45.16%,20.0%,+22' }));
  assert.deepEqual(identities, [ID]);
  const [{ timestamp, location, isValid, speedKmh, courseDeg, altitudeM }] = records as [(typeof records)[0]];
  assert.deepEqual([timestamp, location, isValid], [AT, { lat: 52.5, lng: 13.25 }, true]);
  assert.deepEqual([speedKmh, courseDeg, altitudeM, reply], [18.52, 90, 34.5, undefined]);
  assert.deepEqual(readingsOf(report({ tail: ',1,0,45.16%,20.0%,+22' })), {
    ignition: true,
    door: false,
    fuel_pct: 45.16,
    fuel_pct2: 20,
    temp: 22,
  });
});

test('the date is that of the local clock, corrected by how far it is from UTC', () => {
  const at = (local: string, utc: string) => new Date(recordOf(report({ local, utc })).timestamp!).toISOString();
  assert.equal(at('2107131240', '104005.000'), '2021-07-13T10:40:05.000Z');
  assert.equal(at('210714010005', '230004.000'), '2021-07-13T23:00:04.000Z', 'east of midnight');
  assert.equal(at('210713200005', '020004.000'), '2021-07-14T02:00:04.000Z', 'west of midnight');
  assert.equal(at('21/07/13 12:40', '104005.000'), '2021-07-13T10:40:05.000Z');
  assert.equal(at('210713124005', '31.0'), '2021-07-13T12:40:05.000Z', 'no time in UTC');
  assert.equal(recordOf(report({ local: '', utc: '104005.000' })).timestamp, undefined);
});

test('the letter of a hemisphere comes before, after or not at all', () => {
  const at = (place: string) => recordOf(report({ place })).location;
  assert.deepEqual(at('A,S,5230.0000,W,01315.0000,10.00,90'), { lat: -52.5, lng: -13.25 });
  assert.deepEqual(at('A,5230.0000,S,01315.0000,,0,0,'), { lat: -52.5, lng: 13.25 });
  assert.equal(recordOf(report({ place: 'V,5230.0000,N,01315.0000,E,0,0' })).isValid, false);
  assert.equal(at('V,,,,,,'), undefined);
});

test('keywords are alarms, or values', () => {
  const alarms = (keyword: string) => recordOf(report({ keyword })).alarms;
  for (const [keyword, alarm] of Object.entries({
    'low battery': 'lowBattery',
    move: 'movement',
    speed: 'overspeed',
    stockade: 'geofence',
    'ac alarm': 'powerCut',
    'door alarm': 'door',
    'sensor alarm': 'vibration',
    'accident alarm': 'crash',
    'bonnet alarm': 'general',
    oil1: 'general',
    DTC: 'fault',
    'acc on': 'ignitionOn',
    'acc off': 'ignitionOff',
    'T:+28.0': 'temperature',
  }))
    assert.deepEqual(alarms(keyword), [alarm], keyword);
  for (const keyword of ['tracker', '', '001', 'oil 51.67', 'vt14']) assert.deepEqual(alarms(keyword), [], keyword);
  assert.equal(readingsOf(report({ keyword: 'T:-2.5' })).temp, -2.5);
  assert.equal(readingsOf(report({ keyword: 'oil 51.67' })).fuel_pct, 51.67);
  assert.equal(readingsOf(report({ keyword: 'acc off', tail: ',1' })).ignition, false);
  assert.equal(readingsOf(report({ keyword: 'rfid', card: '49121185' })).driver_id, '49121185');
  assert.equal(readingsOf(report({ keyword: 'DTC', tail: ',1,0,10.5%,P0021' })).dtc, 'P0021');
  assert.equal(recordOf(report({ card: '87%' })).batteryPct, 87);
});

test('a call for help is answered once it is durable', () => {
  const { records, reply } = decode(report({ keyword: 'help me' }));
  assert.deepEqual(records[0]?.alarms, ['sos']);
  assert.deepEqual([reply?.when, reply?.bytes.toString()], ['afterDurable', `**,imei:${ID},E;`]);
});

test('without GPS there is a cell, and a time where the zone is known', () => {
  const frame = `imei:${ID},ac alarm,210713124005,,L,,,296a,,51f7,,,,,1,0`;
  const { isValid, location, readings, alarms } = recordOf(frame);
  assert.deepEqual([isValid, location, alarms], [false, undefined, ['powerCut']]);
  assert.deepEqual(readings?.at(-1), { type: 'cell', value: { lac: 0x296a, cid: 0x51f7 } });
  assert.equal(recordOf(frame).timestamp, undefined);
  assert.equal(recordOf(frame, { timeZone: 'Europe/Berlin' }).timestamp, AT);
  const { remember } = decode(report());
  assert.deepEqual(remember, { zone: '+02:00' });
  assert.equal(recordOf(frame, { memory: remember! }).timestamp, AT);
});

test('OBD tells the vehicle', () => {
  const frame = `imei:${ID},OBD,210713124005,1785,,7.5,12,54,96.47%,+75,20.00%,1892,14.10,P0134,P0571,,;`;
  assert.equal(recordOf(frame, { timeZone: '+02:00' }).timestamp, AT);
  assert.deepEqual(readingsOf(frame), {
    odometer_m: 1_785_000,
    fuel_consumption: 7.5,
    engine_hours: 12,
    obd_speed: 54,
    engine_load: 96.47,
    engine_temp: 75,
    throttle: 20,
    rpm: 1892,
    ext_voltage: 14.1,
    dtc: 'P0134,P0571',
  });
});

test('the other form is in km/h and degrees', () => {
  const frame = `imei:${ID},name,---,------,----,104005,130721,26,1,-52.50000,13.25000,067,229,0674,1.00,08,0,1,---,*`;
  const record = recordOf(frame);
  assert.deepEqual([record.timestamp, record.location, record.isValid], [AT, { lat: -52.5, lng: 13.25 }, true]);
  assert.deepEqual([record.speedKmh, record.courseDeg, record.altitudeM, record.sats], [67, 229, 674, 8]);
  assert.deepEqual([record.isCharging, record.gsmSignal, record.hdop], [true, 26, 1]);
});

test('what is no report is told; what is glued is cut', () => {
  assert.ok(decode('imei:1,x,y,z,and so on and so on').problem);
  assert.equal(framesOf(gps103, [Buffer.from(`noise${LOGIN}${HEARTBEAT}noise\n${report()}`)]).length, 3);
  const datagram = gps103.splitDatagram!(report().subarray(0, -1));
  assert.equal(recordOf(datagram.frames[0]!).timestamp, AT);
});

/** What a device does with a command, by its manual. */
function deviceReads(bytes: Buffer): string {
  const [, id, said] = /^\*\*,imei:(\d+),([A-Z](?:,\d\d[smh])?|\d+)$/.exec(bytes.toString())!;
  assert.equal(id, ID);
  return said!;
}

test('commands are what a device reads, and the reply names the letter', () => {
  const session = { ...anySession, identity: ID };
  const encode = (name: CommandName, parameters = {}) => gps103.encode!({ name, parameters, number: 1 }, session);
  const said = (name: CommandName, parameters = {}) => deviceReads(encode(name, parameters)!.bytes);
  assert.equal(said('position'), 'B');
  assert.equal(said('engineStop'), 'J');
  assert.equal(said('engineResume'), 'K');
  assert.equal(said('alarmArm'), 'L');
  assert.equal(said('alarmArm', { on: false }), 'M');
  assert.deepEqual(
    [30, 90, 300, 7200].map((seconds) => said('interval', { seconds })),
    ['C,30s', 'C,90s', 'C,05m', 'C,02h'],
  );
  assert.equal(encode('interval', { seconds: 101 }), undefined);
  assert.equal(encode('reboot'), undefined);
  assert.equal(deviceReads(gps103.encode!({ text: '160', number: 1 }, session)!.bytes), '160');
  assert.equal(gps103.encode!({ text: 'J;**', number: 1 }, session), undefined);
  assert.equal(encode('position')?.isSilent, true);
  assert.deepEqual(encode('engineStop')?.correlation, decode(report({ keyword: 'jt' })).commandReply?.correlation);
});
