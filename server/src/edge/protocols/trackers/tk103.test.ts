import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import { tk103 } from './tk103.ts';
import type { CommandName, TrackerSession } from './tracker.ts';

const ID = '088012345678';
const IMEI = '123456789012345';
const PLACE = '210713A5230.0000N01315.0000E036.0104005090.00';

/** Without marks: the number, the type, the data. */
const glued = (type: string, data = '') => Buffer.from(`(${ID}${type}${data})`);
const position = (before = '', tail = '01000166L000003E8') => `${before}${PLACE}${tail}`;
const commas = (type: string, ...fields: readonly string[]) => Buffer.from(`(${[IMEI, type, ...fields].join(',')})`);
const FIELDS = ['130721', 'A', '5230.0000N', '01315.0000E', '36.0', '104005', '90.00', '34.5', '7'];

const decode = (frame: Buffer | string, changes: Partial<TrackerSession> = {}) =>
  tk103.decode(Buffer.from(frame), { ...anySession, ...changes });
const recordOf = (frame: Buffer | string) => decode(frame).records[0]!;
const replyOf = (frame: Buffer | string) => {
  const { reply } = decode(frame);
  return reply && [reply.when, reply.bytes.toString()];
};
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(tk103, [
  Buffer.concat([glued('BP00', 'HSO'), glued('BR00', position())]),
  Buffer.concat([commas('DW30', ...FIELDS), commas('ZC03', '130721', '104005', '$a (b) c$'), glued('BP00')]),
]);

test('a position without marks is read by its widths', () => {
  const { identities, records, reply } = decode(glued('BR00', position('', '01000166L000003E8+017.7')));
  assert.deepEqual([identities, reply], [[ID], undefined]);
  const [{ timestamp, location, isValid, speedKmh, courseDeg, isCharging, readings }] = records as [
    (typeof records)[0],
  ];
  assert.deepEqual([timestamp, location, isValid], [AT, { lat: 52.5, lng: 13.25 }, true]);
  assert.deepEqual([speedKmh, courseDeg, isCharging], [36, 90, true]);
  assert.deepEqual(readings, [
    { type: 'ignition', value: true },
    { type: 'fuel_raw', value: 0x166 },
    { type: 'odometer_m', value: 1000 },
    { type: 'temp', value: 17.7 },
  ]);
});

test('spaces pad numbers, a date of zeros is no time, and 0, 0 is no place', () => {
  const padded = recordOf(`(${ID}BR00210713A 5230.0000N  1315.0000E  6.0104005 90.0000000000L00000000)`);
  assert.deepEqual([padded.location, padded.speedKmh, padded.courseDeg], [{ lat: 52.5, lng: 13.25 }, 6, 90]);
  assert.equal(recordOf(glued('BR00', position().replace('210713', '000007'))).timestamp, undefined);
  assert.equal(
    recordOf(glued('BR00', position().replace('5230.0000N01315.0000E', '0000.0000N00000.0000E'))).isValid,
    false,
  );
});

test('logins are answered, that with a position once it is durable', () => {
  assert.deepEqual(replyOf(glued('BP00', 'HSO')), ['now', `(${ID}AP01HSO)`]);
  assert.deepEqual(replyOf(glued('BP05', position(IMEI))), ['afterDurable', `(${ID}AP05)`]);
  assert.deepEqual(decode(glued('BP05', position(IMEI))).identities, [ID, IMEI]);
  assert.equal(recordOf(glued('BP05', position(IMEI))).timestamp, AT);
});

test('alarms, by a digit, by a number, by the type', () => {
  const alarms = (frame: Buffer) => recordOf(frame).alarms?.[0];
  assert.deepEqual(
    ['1', '2', '3', '4', '5', '6', '7'].map((digit) => alarms(glued('BO01', position(digit)))),
    ['crash', 'sos', 'vibration', 'general', 'overspeed', 'geofenceExit', undefined],
  );
  assert.deepEqual(replyOf(glued('BO01', position('2'))), ['afterDurable', `(${ID}AS012)`]);
  assert.deepEqual(
    ['0', '1', '2', '3', '4', '5'].map((digit) => alarms(glued('BQ81', position(`,ALARM,${digit},164,`)))),
    ['lowBattery', 'overspeed', 'idle', 'harshAcceleration', 'harshBraking', 'temperature'],
  );
  const types = ['ZC11', 'DW31', 'ZC12', 'ZC13', 'ZC15', 'ZC16', 'ZC17', 'ZC25', 'DW3E', 'DW3F', 'DW40', 'DW30'];
  assert.deepEqual(
    types.map((type) => alarms(commas(type, ...FIELDS))),
    [
      'movement',
      'movement',
      'lowBattery',
      'powerCut',
      'ignitionOn',
      'ignitionOff',
      'tamper',
      'sos',
      'sos',
      'tamper',
      'lowExternalPower',
      undefined,
    ],
  );
  assert.deepEqual(recordOf(commas('ZC16', ...FIELDS)).readings, [{ type: 'ignition', value: false }]);
});

test('a position with commas has its date the other way round', () => {
  const { identities, records } = decode(commas('DW30', ...FIELDS));
  assert.deepEqual(identities, [IMEI]);
  const { timestamp, location, speedKmh, courseDeg, altitudeM, sats } = records[0]!;
  assert.deepEqual([timestamp, location], [AT, { lat: 52.5, lng: 13.25 }]);
  assert.deepEqual([speedKmh, courseDeg, altitudeM, sats], [36, 90, 34.5, 7]);
  assert.equal(recordOf(commas('ZC11', ...FIELDS.with(1, 'V'))).isValid, false);
});

test('batteries, cells, networks, the number of a vehicle', () => {
  const battery = recordOf(commas('ZC20', '130721', '104005', '5', '421', '112', '0'));
  assert.deepEqual([battery.timestamp, battery.batteryPct, battery.batteryVoltage], [AT, 80, 4.21]);
  assert.deepEqual(battery.readings, [{ type: 'ext_voltage', value: 11.2 }]);
  assert.deepEqual(recordOf(commas('ZC20', '130721', '104005', '255', '65535', '65535', '0')).readings, []);
  const cell = { mcc: 262, mnc: 1, lac: 0x3bf7, cid: 0x425 };
  assert.deepEqual(recordOf(glued('BZ00', ',262,001,3bf7,0425,3bf7,0bf5,01000000')).readings, [
    { type: 'cell', value: cell },
    { type: 'cells', value: [cell, { ...cell, cid: 0xbf5 }] },
  ]);
  assert.deepEqual(recordOf(glued('BZ00', ',{262,1,5,6}\n{262,1,7,8},000003E8')).readings, [
    { type: 'cell', value: { mcc: 262, mnc: 1, lac: 5, cid: 6 } },
    {
      type: 'cells',
      value: [
        { mcc: 262, mnc: 1, lac: 5, cid: 6 },
        { mcc: 262, mnc: 1, lac: 7, cid: 8 },
      ],
    },
    { type: 'odometer_m', value: 1000 },
  ]);
  const radio = recordOf(commas('DW51', '262', '1', '5', '6', '1', '58:f3:bb:3b:aa:82*-65*1', '130721', '104005'));
  assert.deepEqual([radio.timestamp, radio.alarms], [AT, ['movement']]);
  assert.deepEqual(radio.readings?.[1], { type: 'wifi', value: [{ mac: '58:F3:BB:3B:AA:82', rssi: -65 }] });
  assert.deepEqual(recordOf(glued('BV00', 'WVWZZZ1JZXW000001')).readings, [
    { type: 'vin', value: 'WVWZZZ1JZXW000001' },
  ]);
});

test('numbers of other lengths are found by the type behind them', () => {
  assert.deepEqual(decode(`(01234567890BR00${position()})`).identities, ['01234567890']);
  assert.deepEqual(decode(`(${IMEI}BP02,G,2,${PLACE},7)`).identities, [IMEI]);
  assert.equal(recordOf(`(${IMEI}BP02,G,2,${PLACE},7)`).timestamp, AT);
  assert.equal(decode(glued('BX99')).problem, 'unknown type BX99');
});

test('a text between dollar signs may hold parentheses', () => {
  const frame = commas('ZC03', '130721', '104005', '$a (b) c$');
  assert.deepEqual(framesOf(tk103, [Buffer.concat([Buffer.from('noise$)'), frame])]), [frame.toString('hex')]);
  assert.equal(decode(frame).commandReply?.text, 'a (b) c');
});

/** What a device does with a command, by its manual, and the type that it answers with. */
function deviceReads(bytes: Buffer): { said: string; answer: string } {
  const [, id, type, data] = /^\((\d{12})(A[A-Z]\d\d)(.*)\)$/.exec(bytes.toString())!;
  assert.equal(id, ID);
  const answers: Record<string, string> = { AP00: 'BP04', AR00: 'BS08', AT00: 'BT00', AV01: 'BV01' };
  return { said: `${type} ${data}`, answer: answers[type!]! };
}

test('commands are what a device reads, and the reply names them by its type', () => {
  const session = { ...anySession, identity: ID };
  const said = (name: CommandName, parameters = {}) => {
    const encoded = tk103.encode!({ name, parameters, number: 1 }, session)!;
    const { said, answer } = deviceReads(encoded.bytes);
    assert.equal(decode(glued(answer, position())).commandReply?.correlation, encoded.correlation);
    return said;
  };
  assert.equal(said('position'), 'AP00 ');
  assert.equal(said('interval', { seconds: 30 }), 'AR00 001E0000');
  assert.equal(said('engineStop'), 'AV01 0');
  assert.equal(said('engineResume'), 'AV01 1');
  assert.equal(said('reboot'), 'AT00 ');
  assert.equal(tk103.encode!({ text: 'AP07', number: 1 }, session)?.bytes.toString(), `(${ID}AP07)`);
  assert.equal(tk103.encode!({ text: 'AP07)(', number: 1 }, session), undefined);
  const { remember } = decode(commas('DW30', ...FIELDS));
  assert.equal(tk103.encode!({ text: 'AP07', number: 1 }, { ...session, memory: remember! }), undefined);
});
