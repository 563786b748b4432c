import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xorOf } from './bytes.ts';
import { nmea } from './nmea.ts';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { TrackerMemory, TrackerSession } from './tracker.ts';

/** `$` body `*` checksum */
function sentence(body: string): string {
  const bytes = Buffer.from(body);
  return `$${body}*${xorOf(bytes, 0, bytes.length).toString(16).toUpperCase().padStart(2, '0')}`;
}

const RMC = sentence('GPRMC,104005.250,A,5230.0000,N,01315.0000,W,10.00,90.00,130721,,,A');
const GGA = sentence('GPGGA,104005.250,5230.0000,N,01315.0000,W,1,07,1.5,34.5,M,44.8,M,,');
const GLL = sentence('GNGLL,5230.0000,N,01315.0000,W,104005.250,A,A');
const AT = Date.parse('2021-07-13T10:40:05.250Z');

const decode = (line: string, changes: Partial<TrackerSession> = {}) =>
  nmea.decode(Buffer.from(line), { ...anySession, ...changes });

protocolSuite(
  nmea,
  [Buffer.from(`$IMEI=123456789012345\r\n${GGA}\r\n${RMC}\r\n`), Buffer.from(`123456789012345\r\n${RMC}\r\n`)],
  [Buffer.from(`123456789${RMC}\r\n`)],
);

test('RMC is a position, in knots', () => {
  assert.deepEqual(decode(RMC).records, [
    { timestamp: AT, location: { lat: 52.5, lng: -13.25 }, isValid: true, speedKmh: 18.52, courseDeg: 90 },
  ]);
  for (const talker of ['GN', 'GL', 'GA', 'BD'])
    assert.equal(decode(sentence(RMC.slice(1, -3).replace('GP', talker))).records[0]?.timestamp, AT, talker);
  assert.equal(decode(sentence(RMC.slice(1, -3).replace(',A,', ',V,'))).records[0]?.isValid, false);
});

test('a wrong checksum is damage, none is not', () => {
  assert.deepEqual(decode(RMC.replace(/..$/, '00')), { records: [], isDamaged: true });
  assert.equal(decode(RMC.replace(/..$/, '00'), { acceptsWrongChecksum: true }).records.length, 1);
  assert.equal(decode(RMC.replace(/\*..$/, '')).records.length, 1);
});

test('who speaks is told by a line, or before the sentence, or after it', () => {
  const lines = [
    '$IMEI=123456789012345',
    'IMEI 123456789012345',
    '123456789012345',
    sentence('PGID,123456789012345'),
    '$GPFID,123456789012345',
    sentence('PSIWMDID,123456789012345'),
    `123456789012345${RMC}`,
    `123456789012345,${RMC}`,
    `x/123456789012345/${RMC}`,
    `${RMC},11,123456789012345,1,090,086`,
  ];
  for (const line of lines) assert.deepEqual(decode(line).identities, ['123456789012345'], line);
  assert.equal(decode(RMC).identities, undefined);
  const [record] = decode(`${RMC},11,123456789012345,1,090,086`).records;
  assert.equal(record?.sats, 11);
  assert.deepEqual(record?.readings?.[0], { type: 'ignition', value: true });
});

test('what GGA adds goes to the RMC of its second', () => {
  const memory = decode(GGA).remember as TrackerMemory;
  const [record] = decode(RMC, { memory }).records;
  assert.deepEqual([record?.sats, record?.hdop, record?.altitudeM], [7, 1.5, 34.5]);
  const later = sentence(RMC.slice(1, -3).replace('104005', '104006'));
  assert.equal(decode(later, { memory }).records[0]?.sats, undefined);
});

test('a sentence without a date is of the last time with its time of day, where none with a date comes', () => {
  const now = AT + 60_000;
  for (const line of [GGA, GLL]) {
    assert.equal(decode(line, { now }).records[0]?.timestamp, AT);
    assert.equal(decode(line, { now: AT + 3_600_000 }).records[0]?.timestamp, AT);
    assert.equal(decode(line, { now: AT - 3_600_000 }).records[0]?.timestamp, AT - 86_400_000);
    assert.deepEqual(decode(line, { now, memory: { hasDates: true } }).records, []);
  }
  const midnight = sentence('GPGLL,5230.0000,N,01315.0000,W,235959,A');
  const [record] = decode(midnight, { now: Date.parse('2021-07-14T00:00:10Z') }).records;
  assert.equal(record?.timestamp, Date.parse('2021-07-13T23:59:59Z'));
});

test('a receiver of u-blox says where it is', () => {
  const said = 'PUBX,00,104005.25,5230.0000,N,01315.0000,W,34.5,G3,2.1,2.0,36.0,90.00,0.01,,0.92,1.19,0.77,9,0,0';
  const { records, problem } = decode(sentence(said), { now: AT + 1000 });
  assert.equal(problem, undefined);
  assert.deepEqual(records, [
    {
      location: { lat: 52.5, lng: -13.25 },
      isValid: true,
      altitudeM: 34.5,
      accuracyM: 2.1,
      speedKmh: 36,
      courseDeg: 90,
      hdop: 0.92,
      sats: 9,
      timestamp: AT,
    },
  ]);
  assert.equal(decode(sentence(said.replace('G3', 'NF')), { now: AT }).records[0]?.isValid, false);
  assert.equal(nmea.recognise(Buffer.from(`123456789012345${sentence(said)}`)), 'yes');
});

test('other sentences tell nothing, or something of their own', () => {
  assert.deepEqual(decode(sentence('GPGSV,3,1,11')), { records: [] });
  assert.ok(decode(sentence('PXYZ,1')).problem);
  const [voltages] = decode(sentence('GPIOP,01000000,00000000,0.00,0.00,0.00,0.00,12.10,4.10')).records;
  assert.deepEqual([voltages?.batteryVoltage, voltages?.readings?.[0]?.value], [4.1, 12.1]);
  const [track] = decode('$TRCCR,20210713104005.250,A,52.5,-13.25,10.00,90.00,34.50,50,').records;
  assert.deepEqual([track?.timestamp, track?.location], [AT, { lat: 52.5, lng: -13.25 }]);
  const qze = decode('QZE,123456789012345,35,13072021,104005,52.5,-13.25,0,22,A,1');
  assert.deepEqual([qze.identities, qze.records[0]?.isValid], [['123456789012345'], true]);
});

test('noise is skipped line by line, and the last line of a datagram need not end', () => {
  const stream = Buffer.from(`GET / HTTP/1.1\r\n\x16\x03\x01\r\n${RMC}\r\n`);
  assert.equal(framesOf(nmea, [stream]).length, 1);
  assert.equal(nmea.splitDatagram!(Buffer.from(`123456789${RMC}`)).frames.length, 1);
});
