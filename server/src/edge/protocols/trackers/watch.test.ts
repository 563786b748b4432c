import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { CommandName, TrackerSession } from './tracker.ts';
import { watch } from './watch.ts';

const ID = '8800000015';

/** `[maker*id*length*content]`, with a number of the message if there is one. */
function frame(content: string | Buffer, { maker = '3G', index = '', length = content.length } = {}): Buffer {
  const head = `[${maker}*${ID}*${index && `${index}*`}${length.toString(16).padStart(4, '0')}*`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(']')]);
}

const FIX = [
  '130721',
  '104005',
  'A',
  '52.500000',
  'N',
  '13.250000',
  'E',
  '3.60',
  '90.0',
  '34.5',
  '7',
  '60',
  '88',
  '1000',
  '50',
];
const report = (type: string, { status = '00000000', fix = FIX, around = '0,0' } = {}) =>
  frame([type, ...fix, status, around].join(','));

const decode = (bytes: Buffer, changes: Partial<TrackerSession> = {}) =>
  watch.decode(bytes, { ...anySession, ...changes });
const recordOf = (bytes: Buffer) => decode(bytes).records[0]!;
const replyOf = (bytes: Buffer) => {
  const { reply } = decode(bytes);
  return reply && [reply.when, reply.bytes.toString()];
};
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(watch, [
  Buffer.concat([frame('LK,1000,0,88'), report('UD'), frame('TKQ')]),
  Buffer.concat([report('AL', { status: '00010000' }), frame('LK', { maker: 'ZJ', index: '0035' })]),
]);

test('a sign of life is answered at once and always, in the same letters', () => {
  assert.deepEqual(replyOf(frame('LK')), ['now', `[3G*${ID}*0002*LK]`]);
  assert.deepEqual(replyOf(frame('LK', { maker: 'SG' })), ['now', `[SG*${ID}*0002*LK]`]);
  assert.deepEqual(replyOf(frame('LK', { maker: 'ZJ', index: '0035' })), ['now', `[ZJ*${ID}*0035*0002*LK]`]);
  assert.deepEqual(replyOf(frame('LK,0,100', { length: 9 })), ['now', `[3G*${ID}*0002*LK]`]);
  assert.deepEqual(recordOf(frame('LK,1000,0,88')), {
    isValid: false,
    batteryPct: 88,
    readings: [{ type: 'steps', value: 1000 }],
  });
});

test('a position is in degrees and km/h', () => {
  const { identities, records, reply } = decode(report('UD'));
  assert.deepEqual([identities, reply], [[ID], undefined]);
  const { readings, standingAlarms, ...rest } = records[0]!;
  assert.deepEqual(rest, {
    timestamp: AT,
    location: { lat: 52.5, lng: 13.25 },
    isValid: true,
    speedKmh: 3.6,
    courseDeg: 90,
    altitudeM: 34.5,
    accuracyM: undefined,
    sats: 7,
    gsmSignal: 60,
    batteryPct: 88,
  });
  assert.deepEqual([readings, standingAlarms], [[{ type: 'steps', value: 1000 }], []]);
  for (const type of ['UD2', 'UD_LTE', 'UD_WCDMA', 'WT']) assert.equal(recordOf(report(type)).timestamp, AT, type);
});

test('a place is negated once, by its sign or its letter', () => {
  const at = (lat: string, ns: string, lng: string, ew: string) =>
    recordOf(report('UD', { fix: FIX.with(3, lat).with(4, ns).with(5, lng).with(6, ew) })).location;
  assert.deepEqual(at('52.5', 'S', '13.25', 'W'), { lat: -52.5, lng: -13.25 });
  assert.deepEqual(at('-52.5', 'S', '-13.25', 'W'), { lat: -52.5, lng: -13.25 });
  assert.deepEqual(at('-52.5', 'N', '-13.25', 'E'), { lat: -52.5, lng: -13.25 });
  assert.deepEqual(at('52.5', 'N', '13.25', ''), { lat: 52.5, lng: 13.25 });
  assert.equal(at('', '', '', ''), undefined);
});

test('the clock is in the zone of the device', () => {
  assert.equal(decode(report('UD'), { timeZone: 'Europe/Berlin' }).records[0]?.timestamp, AT - 7_200_000);
  assert.equal(decode(report('UD'), { timeZone: '+08:00' }).records[0]?.timestamp, AT - 28_800_000);
});

test('an alarm is answered once it is durable, and is what the upper half of the status says', () => {
  const alarms = (status: string) => recordOf(report('AL', { status })).alarms?.join();
  const said = [
    '00010000',
    '00020000',
    '00040000',
    '00080000',
    '00100000',
    '00200000',
    '00400000',
    '00000001',
    '0001',
    '0',
  ];
  assert.deepEqual(said.map(alarms), [
    'sos',
    'lowBattery',
    'geofenceExit',
    'geofenceEnter',
    'tamper',
    'fall',
    'fall',
    'lowBattery',
    'lowBattery',
    'general',
  ]);
  assert.deepEqual(replyOf(report('AL')), ['afterDurable', `[3G*${ID}*0002*AL]`]);
  assert.deepEqual(replyOf(report('AL_LTE')), ['afterDurable', `[3G*${ID}*0002*AL]`]);
  const ordinary = recordOf(report('UD', { status: '00000011' }));
  assert.deepEqual([ordinary.alarms, ordinary.standingAlarms], [undefined, ['lowBattery']]);
  assert.deepEqual(ordinary.readings?.[1], { type: 'moving', value: true });
});

test('cells and networks around, whose names may hold commas', () => {
  const around = '2,255,262,1,5,6,118,7,8,119,2,a,b,68:77:24:1b:e7:a7,-59,,68:77:24:1b:e3:30,-75,65.8';
  const record = recordOf(report('UD', { around }));
  assert.equal(record.accuracyM, 65.8);
  assert.deepEqual(record.readings?.slice(1), [
    { type: 'cell', value: { mcc: 262, mnc: 1, lac: 5, cid: 6 }, meta: { rssi: 118 } },
    {
      type: 'cells',
      value: [
        { mcc: 262, mnc: 1, lac: 5, cid: 6, rssi: 118 },
        { mcc: 262, mnc: 1, lac: 7, cid: 8, rssi: 119 },
      ],
    },
    {
      type: 'wifi',
      value: [
        { mac: '68:77:24:1B:E7:A7', rssi: -59, name: 'a,b' },
        { mac: '68:77:24:1B:E3:30', rssi: -75 },
      ],
    },
  ]);
  assert.equal(recordOf(report('UD', { around: '0,0,58.0' })).accuracyM, 58);
});

test('other words are answered as the watch expects', () => {
  assert.deepEqual(replyOf(frame('TKQ')), ['now', `[3G*${ID}*0003*TKQ]`]);
  assert.deepEqual(replyOf(frame('TKQ2')), ['now', `[3G*${ID}*0004*TKQ2]`]);
  assert.deepEqual(replyOf(frame('INIT,1,2')), ['now', `[3G*${ID}*0006*INIT,1]`]);
  assert.deepEqual(replyOf(frame('CONFIG,TY:g')), ['now', `[3G*${ID}*0008*CONFIG,1]`]);
});

test('what it measures of its wearer', () => {
  const readings = (content: string) => decode(frame(content)).records.flatMap((record) => record.readings ?? []);
  assert.deepEqual(readings('heart,72'), [{ type: 'heart_rate', value: 72 }]);
  assert.deepEqual(readings('PULSE,72'), [{ type: 'heart_rate', value: 72 }]);
  assert.deepEqual(readings('heart,0'), []);
  assert.deepEqual(readings('bphrt,120,79,73,,'), [
    { type: 'blood_pressure', value: { systolic: 120, diastolic: 79 } },
    { type: 'heart_rate', value: 73 },
  ]);
  assert.deepEqual(readings('temp,36.6'), [{ type: 'body_temp', value: 36.6 }]);
  assert.deepEqual(readings('btemp2,1,36.6'), [{ type: 'body_temp', value: 36.6 }]);
  assert.deepEqual(readings('btemp2,0,36.6'), []);
  assert.deepEqual(readings('oxygen,0,98'), [{ type: 'oxygen', value: 98 }]);
});

test('a frame that is not as long as it says is damaged', () => {
  const short = frame(['UD', ...FIX, '00000000,0,0'].join(','), { length: 3 });
  const { records, isDamaged } = decode(short);
  assert.deepEqual([records, isDamaged], [[], true]);
  assert.equal(decode(short, { acceptsWrongChecksum: true }).records.length, 1);
});

test('brackets in sound are escaped, and a frame that was cut off is left', () => {
  const escaped = Buffer.from([0x7d, 1, 0x7d, 2, 0x7d, 3, 0x7d, 4, 0x7d, 5]);
  const sound = Buffer.concat([Buffer.from('TK,#!AMR'), escaped]);
  const whole = frame(sound, { length: sound.length - 5 });
  const stream = Buffer.concat([report('UD').subarray(0, 50), whole, frame('LK')]);
  const frames = framesOf(watch, [stream]).map((hex) => Buffer.from(hex, 'hex'));
  assert.deepEqual(frames, [whole, frame('LK')]);
  assert.deepEqual([decode(whole).isDamaged, decode(whole).problem], [undefined, 'sound and pictures are not kept']);
});

/** What a watch does with a command: it counts the content, and repeats its word. */
function deviceReads(bytes: Buffer): { head: string; content: string } {
  const [, maker, id, index, length, content] = /^\[(..)\*(\d+)\*(?:(\d{4})\*)?([0-9a-f]{4})\*(.*)\]$/.exec(
    bytes.toString(),
  )!;
  assert.equal(Number.parseInt(length!, 16), content!.length);
  return { head: [maker, id, index].join(), content: content! };
}

test('commands are what a watch reads, in the letters it used, and it repeats their word', () => {
  const said = (name: CommandName, parameters = {}, memory = {}) => {
    const session = { ...anySession, identity: ID, memory };
    const encoded = watch.encode!({ name, parameters, number: 1 }, session)!;
    const read = deviceReads(encoded.bytes);
    const [word] = read.content.split(',');
    assert.equal(decode(frame(word!)).commandReply?.correlation, encoded.correlation);
    return `${read.head} ${read.content}`;
  };
  assert.equal(said('position'), `3G,${ID}, CR`);
  assert.equal(said('reboot'), `3G,${ID}, RESET`);
  assert.equal(said('interval', { seconds: 600 }), `3G,${ID}, UPLOAD,600`);
  const { remember } = decode(frame('LK', { maker: 'ZJ', index: '0035' }));
  assert.equal(said('position', {}, remember), `ZJ,${ID},0001 CR`);
});

test('a text is a word with its arguments; a message is put into its form', () => {
  const session = { ...anySession, identity: ID };
  const said = (text: string) => watch.encode!({ text, number: 1 }, session)?.bytes;
  assert.equal(deviceReads(said('SOS1,12345')!).content, 'SOS1,12345');
  assert.equal(deviceReads(said('MESSAGE,hé')!).content, 'MESSAGE,006800e9');
  assert.equal(said('SOS1,1]['), undefined);
  assert.equal(watch.encode!({ name: 'engineStop', parameters: {}, number: 1 }, session), undefined);
});
