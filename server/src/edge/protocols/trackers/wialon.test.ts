import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { crcArc } from './bytes.ts';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { TrackerSession } from './tracker.ts';
import { wialon } from './wialon.ts';

const line = (type: string, body: string) => Buffer.from(`#${type}#${body}\r\n`);
const crcOf = (text: string) => {
  const bytes = Buffer.from(text);
  return crcArc(bytes, 0, bytes.length).toString(16).toUpperCase();
};
/** A line of version 2, whose checksum ends it. */
const checked = (type: string, body: string, separator = ';') =>
  line(type, `${body}${separator}${crcOf(`${body}${separator}`)}`);

const SHORT = '130721;104005;5230.0000;N;01315.0000;E;36;90;34.5;7';
const LONG = `${SHORT};1.2;5;2;14.77,0.02;AB45;`;
const AT = Date.parse('2021-07-13T10:40:05Z');

const decode = (frame: Buffer, changes: Partial<TrackerSession> = {}) =>
  wialon.decode(frame, { ...anySession, ...changes });
const second = { memory: { version: '2.0' } };
const replyOf = (frame: Buffer, changes: Partial<TrackerSession> = {}) => {
  const { reply } = decode(frame, changes);
  return reply && [reply.when, reply.bytes.toString()];
};

protocolSuite(wialon, [
  Buffer.concat([line('L', '123456789012345;secret'), line('D', `${LONG}SOS:1:1`), line('P', '')]),
  Buffer.concat([checked('L', '2.0;123456789012345;NA'), checked('B', `${SHORT}|${SHORT}`, '|')]),
  Buffer.concat([line('I', '5;0;1;130721;104005;a.jpg'), Buffer.from('#P#\r\n'), line('SD', SHORT)]),
  Buffer.from(`2.0;123456789012345#D#${LONG};\r\n`),
]);

test('a login names the device and its key', () => {
  const { identities, key, reply } = decode(line('L', '123456789012345;secret'));
  assert.deepEqual([identities, key], [['123456789012345'], 'secret']);
  assert.deepEqual(
    [reply?.when, reply?.bytes.toString(), reply?.refusal?.toString()],
    ['now', '#AL#1\r\n', '#AL#0\r\n'],
  );
  assert.equal(decode(line('L', '123456789012345;NA')).key, undefined);
  assert.equal(decode(line('L', '123456789012345;пароль')).key, 'пароль');
  assert.equal(decode(line('L', ';secret')).problem, 'a login without a number');
});

test('a login of version 2 is checked, and remembered', () => {
  const { identities, key, remember, isDamaged } = decode(checked('L', '2.0;123456789012345;secret'));
  assert.deepEqual(
    [identities, key, remember, isDamaged],
    [['123456789012345'], 'secret', { version: '2.0' }, undefined],
  );
  assert.equal(decode(line('L', '2.0;123456789012345;secret;FFFF')).isDamaged, true);
  assert.deepEqual(decode(line('L', '2.0;1;NA;FFFF'), { acceptsWrongChecksum: true }).identities, ['1']);
});

test('a short message is a position', () => {
  assert.deepEqual(decode(line('SD', SHORT)).records, [
    {
      timestamp: AT,
      location: { lat: 52.5, lng: 13.25 },
      isValid: true,
      speedKmh: 36,
      courseDeg: 90,
      altitudeM: 34.5,
      sats: 7,
    },
  ]);
  assert.deepEqual(replyOf(line('SD', SHORT)), ['afterDurable', '#ASD#1\r\n']);
  assert.equal(decode(line('SD', SHORT.replace(/7$/, '2'))).records[0]?.isValid, false, 'two satellites');
});

test('a long message has inputs, outputs, voltages, a driver and parameters', () => {
  const parameters =
    'SOS:1:1,temp:3:18,bat:1:99,accuracy:2:4.5,mcc:1:262,mnc:1:1,lac:1:5,cell_id:1:6,motion:3:true,Name:3:Ölstand';
  const [record] = decode(line('D', `${LONG}${parameters}`)).records;
  assert.deepEqual([record?.hdop, record?.batteryPct, record?.accuracyM, record?.alarms], [1.2, 99, 4.5, ['sos']]);
  const readings = Object.fromEntries(record!.readings!.map(({ type, value }) => [type, value]));
  assert.deepEqual(readings, {
    din1: true,
    din2: false,
    din3: true,
    din4: false,
    dout1: false,
    dout2: true,
    dout3: false,
    dout4: false,
    ain1: 14.77,
    ain2: 0.02,
    driver_id: 'AB45',
    cell: { mcc: 262, mnc: 1, lac: 5, cid: 6 },
    temp: 18,
    moving: true,
    name: 'Ölstand',
  });
  assert.deepEqual(replyOf(line('D', LONG)), ['afterDurable', '#AD#1\r\n']);
});

test('what is not available is left out; without a time it is of now', () => {
  const { records } = decode(line('D', 'NA;NA;NA;NA;NA;NA;NA;NA;NA;NA;NA;NA;NA;;NA;battery:2:3.9'));
  assert.equal(records[0]?.timestamp, undefined);
  assert.equal(records[0]?.location, undefined);
  assert.deepEqual([records[0]?.batteryVoltage, records[0]?.batteryPct], [3.9, undefined]);
  assert.equal(decode(line('SD', SHORT.replace(/7$/, 'NA'))).records[0]?.isValid, true);
});

test('what can not be read is answered with what is wrong', () => {
  assert.deepEqual(replyOf(line('SD', '130721;104005')), ['afterDurable', '#ASD#-1\r\n']);
  assert.deepEqual(replyOf(line('SD', SHORT.replace('130721', '133321'))), ['afterDurable', '#ASD#0\r\n']);
  assert.deepEqual(replyOf(line('D', LONG.replace('5230.0000', 'here'))), ['afterDurable', '#AD#10\r\n']);
  assert.ok(decode(line('SD', '130721;104005')).problem);
});

test('a checksum is known by the login, or by the field that it is more', () => {
  const right = checked('D', `${LONG}a:1:2`);
  assert.equal(decode(right).records.length, 1);
  assert.equal(decode(right, second).records.length, 1);
  const wrong = line('D', `${LONG}a:1:2;12`);
  assert.deepEqual(decode(wrong), { records: [], isDamaged: true });
  assert.equal(decode(wrong, { acceptsWrongChecksum: true }).records.length, 1);
  assert.equal(decode(checked('SD', SHORT), second).records.length, 1);
  assert.equal(decode(line('M', 'hello;FFFF'), second).isDamaged, true);
});

test('a black box is confirmed as a whole', () => {
  const { records, problem } = decode(line('B', `${SHORT}|x|${LONG}`));
  assert.equal(records.length, 2);
  assert.equal(problem, '1 unreadable messages');
  assert.deepEqual(replyOf(line('B', `${SHORT}|x|${LONG}`)), ['afterDurable', '#AB#3\r\n']);
  assert.deepEqual(replyOf(checked('B', `${SHORT}|${SHORT}`, '|'), second), ['afterDurable', '#AB#2\r\n']);
  assert.equal(decode(line('B', `${SHORT}|${SHORT}|FFFF`)).isDamaged, true);
});

test('pings, messages of the driver and pictures', () => {
  assert.deepEqual(replyOf(line('P', '')), ['now', '#AP#\r\n']);
  const message = decode(line('M', 'Проверка связи'));
  assert.equal(message.commandReply?.text, 'Проверка связи');
  assert.deepEqual(replyOf(line('M', 'hello')), ['afterDurable', '#AM#1\r\n']);
  const picture = Buffer.concat([line('I', '4;2;9;130721;104005;a.jpg'), Buffer.from([35, 80, 35, 10])]);
  const [frame, next] = framesOf(wialon, [Buffer.concat([picture, line('P', '')])]);
  assert.deepEqual([frame, next], [picture.toString('hex'), line('P', '').toString('hex')]);
  assert.deepEqual(replyOf(picture), ['afterDurable', '#AI#2;1\r\n']);
});

test('a datagram names its device, and need not end', () => {
  const datagram = Buffer.from(`2.0;123456789012345#SD#${SHORT};${crcOf(`${SHORT};`)}`);
  const [frame] = wialon.splitDatagram!(datagram).frames;
  const { identities, records } = decode(frame!, { transport: 'udp' });
  assert.deepEqual([identities, records.length], [['123456789012345'], 1]);
  assert.deepEqual(decode(Buffer.from(`123456789012345#SD#${SHORT}`)).identities, ['123456789012345']);
});

test('lines that come packed are read as one frame', () => {
  const text = Buffer.concat([line('L', '123456789012345;secret'), line('SD', SHORT), line('SD', SHORT)]);
  const bytes = deflateSync(text);
  const head = Buffer.from([0xff, bytes.length & 0xff, bytes.length >> 8]);
  const [frame] = wialon.split(Buffer.concat([head, bytes, line('P', '')])).frames;
  const { identities, key, records, reply } = decode(frame!);
  assert.deepEqual([identities, key, records.length], [['123456789012345'], 'secret', 2]);
  assert.deepEqual([reply?.when, reply?.bytes.toString()], ['afterDurable', '#AL#1\r\n#ASD#1\r\n#ASD#1\r\n']);
  assert.equal(decode(Buffer.from('ff0300aabbcc', 'hex')).problem, 'its compression is not valid');
});

test('a text goes down as a message, and the device says whether it took it', () => {
  const { bytes } = wialon.encode!({ text: 'fahre los, ü', number: 1 }, anySession)!;
  const [, type, text] = /^#(\w+)#(.*)\r\n$/.exec(bytes.toString())!;
  assert.deepEqual([type, text], ['M', 'fahre los, ü']);
  assert.equal(wialon.encode!({ text: 'a\r\n#P#', number: 1 }, anySession), undefined);
  assert.equal(wialon.encode!({ name: 'reboot', parameters: {}, number: 1 }, anySession), undefined);
  assert.deepEqual(decode(line('AM', '1')).commandReply, { text: '1', isFailure: false });
  assert.equal(decode(line('AM', '0')).commandReply?.isFailure, true);
});
