import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h02 } from './h02.ts';
import { anySession, framesOf, protocolSuite } from './protocol-suite.ts';
import type { TrackerSession } from './tracker.ts';

const ID = '4209130001';

/** `*HQ,id,type,…#` */
const text = (...fields: readonly string[]) => Buffer.from(`*${['HQ', ID, ...fields].join(',')}#`);

const POSITION = ['104005', 'A', '5230.0000', 'N', '01315.0000', 'E', '010.00', '090', '130721', 'FFFFFFFF'];

/** A binary frame at 52.5, 13.25, 2021-07-13 10:40:05, 10 knots, 90°. */
function binary({ length = 32, id = ID, flags = 'e', battery = '06', status = 'ffffffff', tail = '' } = {}): Buffer {
  const head = `24${id}104005130721${'52300000'}${battery}${'013150000'}${flags}010090${status}`;
  return Buffer.from(`${head}${tail}`.padEnd(length * 2, '0'), 'hex');
}

const session: TrackerSession = { ...anySession, now: Date.parse('2021-07-13T10:40:06Z'), identity: ID };
const decode = (frame: Buffer, changes: Partial<TrackerSession> = {}) => h02.decode(frame, { ...session, ...changes });
const recordOf = (frame: Buffer) => decode(frame).records[0]!;
const AT = Date.parse('2021-07-13T10:40:05Z');

protocolSuite(h02, [
  Buffer.concat([text('V1', ...POSITION), Buffer.from('\r\n'), text('HTBT', '80')]),
  Buffer.concat([binary(), binary(), text('V1', ...POSITION)]),
  Buffer.concat([binary({ length: 45 }), binary({ length: 45 }), text('V0')]),
]);

test('V1: a position with its status, confirmed by the time once it is durable', () => {
  const { identities, records, reply } = decode(text('V1', ...POSITION));
  assert.deepEqual(identities, [ID]);
  assert.deepEqual(records, [
    {
      timestamp: AT,
      location: { lat: 52.5, lng: 13.25 },
      isValid: true,
      speedKmh: 18.52,
      courseDeg: 90,
      altitudeM: undefined,
      batteryPct: undefined,
      readings: [{ type: 'ignition', value: true }],
      standingAlarms: [],
    },
  ]);
  assert.equal(reply?.when, 'afterDurable');
  assert.equal(reply?.bytes.toString(), `*HQ,${ID},V4,V1,20210713104006#`);
});

test('coordinates are read in all their spellings', () => {
  const at = (lat: string, lng: string, ns = 'N', ew = 'E') =>
    recordOf(text('V1', '104005', 'A', lat, ns, lng, ew, '0', '0', '130721', 'FFFFFFFF')).location;
  assert.deepEqual(at('5230.0000', '01315.0000'), { lat: 52.5, lng: 13.25 });
  assert.deepEqual(at('52300000', '013150000', 'S', 'W'), { lat: -52.5, lng: -13.25 });
  assert.deepEqual(at('-52-30.0000', '-013-15.0000'), { lat: 52.5, lng: 13.25 });
  assert.deepEqual(at('5230.0000', '15.0000', 'N', 'W'), { lat: 52.5, lng: -0.25 });
});

test('a flag other than A, or a number, makes a place the last known; so does a missing time', () => {
  const validity = (flag: string, time = '104005', date = '130721') => {
    const fields = POSITION.with(0, time).with(1, flag).with(8, date);
    const { location, isValid, timestamp } = recordOf(text('V1', ...fields));
    return [location?.lat, isValid, timestamp];
  };
  assert.deepEqual(validity('A'), [52.5, true, AT]);
  assert.deepEqual(validity('0'), [52.5, true, AT]);
  assert.deepEqual(validity('V'), [52.5, false, AT]);
  assert.deepEqual(validity(''), [52.5, false, AT]);
  assert.deepEqual(validity('A', ''), [52.5, false, undefined]);
  assert.deepEqual(validity('A', '104005', ''), [52.5, false, undefined]);
});

test('the bits of the status are 0 where an alarm is on, and stand as long', () => {
  const alarms = (word: string) => recordOf(text('V1', ...POSITION.with(9, word))).standingAlarms;
  assert.deepEqual(alarms('FFFFFFFE'), ['vibration']);
  assert.deepEqual(alarms('FFFFFFFD'), ['sos']);
  assert.deepEqual(alarms('FFFBFFFD'), ['sos']);
  assert.deepEqual(alarms('FFFFFFFB'), ['overspeed']);
  assert.deepEqual(alarms('FFF3FFFF'), ['sos', 'powerCut']);
  assert.equal(alarms('00000000'), undefined);
  assert.deepEqual(recordOf(text('V1', ...POSITION.with(9, 'FFFFFBFF'))).readings, [
    { type: 'ignition', value: false },
  ]);
});

test('what follows the status: cells in decimal or not, the level of the battery, or the vehicle', () => {
  const { readings, batteryPct } = recordOf(text('V1', ...POSITION, '262', '01', '665', '4252', '4'));
  assert.deepEqual(readings?.[1], { type: 'cell', value: { mcc: 262, mnc: 1, lac: 665, cid: 4252 } });
  assert.equal(batteryPct, 60);
  assert.deepEqual(recordOf(text('V1', ...POSITION, '106', '1', ' 299', '109c')).readings?.[1]?.value, {
    mcc: 262,
    mnc: 1,
    lac: 0x299,
    cid: 0x109c,
  });
  const vehicle = recordOf(text('V1', ...POSITION, '1200', '-4', '50.5', '18', '51', '5A'));
  assert.equal(vehicle.altitudeM, 18);
  assert.deepEqual(
    vehicle.readings?.slice(1, 4).map(({ value }) => value),
    [1200, -4, 50.5],
  );
  const level = recordOf(text('V1', ...POSITION.toSpliced(8, 0, '5')));
  assert.deepEqual([level.timestamp, level.batteryPct], [AT, 80]);
});

test('V19 has its date, and the number of its SIM card', () => {
  const { records, reply } = decode(
    text('V19', ...POSITION.slice(0, 9), '', '491700000000', '8949000000000000001F', 'FFFFFBFF'),
  );
  assert.equal(records[0]?.timestamp, AT);
  assert.deepEqual(records[0]?.readings, [
    { type: 'ignition', value: false },
    { type: 'iccid', value: '8949000000000000001' },
  ]);
  assert.equal(reply, undefined);
});

test('V4 is the reply to a command, and where the device is', () => {
  const { records, commandReply } = decode(text('V4', 'S20', 'DONE', '104001', ...POSITION));
  assert.deepEqual(commandReply, { text: 'S20,DONE,104001', correlation: 'S20,104001' });
  assert.equal(records[0]?.timestamp, AT);
  assert.deepEqual(decode(text('V4', 'R1', '104001')), {
    identities: [ID],
    records: [],
    commandReply: { text: 'R1,104001', correlation: 'R1,104001' },
  });
  assert.equal(decode(text('SMS', 'UT:30,30')).commandReply?.text, 'UT:30,30');
});

test('cells without a place: NBR, V3, VP1', () => {
  const nbr = decode(
    text('NBR', '104005', '262', '01', '255', '2', '1', '2', '30', '3', '4', '20', '130721', 'FFFFFBFF', '3'),
  );
  assert.equal(nbr.records[0]?.timestamp, AT);
  assert.equal(nbr.records[0]?.location, undefined);
  assert.equal(nbr.records[0]?.batteryPct, 20);
  assert.deepEqual(nbr.records[0]?.readings?.slice(1), [
    { type: 'cell', value: { mcc: 262, mnc: 1, lac: 1, cid: 2 }, meta: { rssi: 30 } },
    {
      type: 'cells',
      value: [
        { mcc: 262, mnc: 1, lac: 1, cid: 2, rssi: 30 },
        { mcc: 262, mnc: 1, lac: 3, cid: 4, rssi: 20 },
      ],
    },
  ]);
  assert.equal(nbr.reply?.bytes.toString(), `*HQ,${ID},V4,NBR,20210713104006#`);

  const v3 = recordOf(
    text('V3', '104005', '26201', '01', '000152', '014001', '156', '-64', '02E4', '0', 'X', '130721', 'FFFFFFFF'),
  );
  assert.equal(v3.timestamp, AT);
  assert.deepEqual(
    v3.readings?.map(({ type }) => type),
    ['ignition', 'cell', 'battery_raw'],
  );
  assert.deepEqual(v3.readings?.[1]?.value, { mcc: 262, mnc: 1, lac: 152, cid: 14001 });

  const vp1 = recordOf(text('VP1', 'V', '262', '1', '92', '3565', '7Y92', '19433', '30'));
  assert.deepEqual(vp1.readings?.[0]?.value, { mcc: 262, mnc: 1, lac: 92, cid: 3565 });
});

test('VP1 has no time of day: one of today is of now', () => {
  const fields = ['VP1', 'A', '5230.0000', 'N', '01315.0000', 'E', '1.00', '0.00'];
  assert.equal(recordOf(text(...fields, '130721')).timestamp, undefined);
  assert.equal(recordOf(text(...fields, '120721')).timestamp, Date.parse('2021-07-12'));
  assert.equal(recordOf(text(...fields, '120721')).isValid, true);
});

test('LINK, HTBT and V0 tell a status; heartbeats are answered at once', () => {
  const link = recordOf(text('LINK', '104005', '15', '7', '84', '1200', '3', '130721', 'FFFFFFFF'));
  assert.deepEqual([link.timestamp, link.gsmSignal, link.sats, link.batteryPct], [AT, 15, 7, 84]);
  assert.deepEqual(link.readings?.at(-1), { type: 'steps', value: 1200 });
  const heartbeat = decode(text('HTBT', '80'));
  assert.equal(heartbeat.records[0]?.batteryPct, 80);
  assert.deepEqual([heartbeat.reply?.when, heartbeat.reply?.bytes.toString()], ['now', `*HQ,${ID},HTBT#`]);
  assert.deepEqual(decode(text('V0')).records, []);
  assert.equal(decode(text('V0')).reply?.bytes.toString(), `*HQ,${ID},V0#`);
});

test('a frame without a number is of the connection; an unknown one is told', () => {
  const { identities, records, reply } = decode(Buffer.from(`*HQ,,V1,${POSITION.join(',')}#`));
  assert.deepEqual([identities, records.length, reply], [undefined, 1, undefined]);
  assert.equal(decode(text('QQ', '1')).problem, 'unknown sentence QQ');
});

test('a binary frame has the same, in digits', () => {
  const { identities, records, reply } = decode(binary());
  assert.deepEqual(identities, [ID]);
  const { timestamp, location, isValid, speedKmh, courseDeg, batteryPct } = records[0]!;
  assert.deepEqual([timestamp, location, isValid, batteryPct], [AT, { lat: 52.5, lng: 13.25 }, true, 100]);
  assert.deepEqual([speedKmh, courseDeg], [18.52, 90]);
  assert.equal(reply, undefined);
  assert.deepEqual(recordOf(binary({ flags: '0' })).location, { lat: -52.5, lng: -13.25 });
  assert.equal(recordOf(binary({ flags: 'c' })).isValid, false);
  assert.deepEqual(recordOf(binary({ status: 'fffffbfd' })).standingAlarms, ['sos']);
  const levels = ['00', '01', '02', '03', '04', '05', '06', '32', 'f3', 'ff'];
  assert.deepEqual(
    levels.map((battery) => recordOf(binary({ battery })).batteryPct),
    [undefined, 0, 10, 20, 60, 80, 100, 50, 20, undefined],
  );
});

test('a binary frame of 42 bytes has a number of 15 digits, one of 45 the cell', () => {
  const long = decode(binary({ length: 42, id: '1234567890123450' }));
  assert.deepEqual(long.identities, ['123456789012345']);
  assert.equal(long.records[0]?.timestamp, AT);
  const tail = `ff00100600000000${'0106'}${'02'}${'0299'}${'109c'}01`;
  assert.deepEqual(recordOf(binary({ length: 45, tail })).readings?.[1], {
    type: 'cell',
    value: { mcc: 262, mnc: 2, lac: 0x299, cid: 0x109c },
  });
});

test('models that repeat a binary frame are told that it came', () => {
  const { reply } = decode(binary({ length: 45 }), { model: 'ST-901L' });
  assert.deepEqual([reply?.when, reply?.bytes.toString()], ['afterDurable', `*HQ,${ID},R12,104006#`]);
});

test('a binary frame, whose length nobody tells, ends where the next begins or the device is silent', () => {
  for (const length of [32, 42, 45, 46, 47, 48]) {
    const id = length === 42 ? '1234567890123450' : ID;
    const frame = binary({ length, id, tail: 'ff2a24' });
    const stream = Buffer.concat([frame, frame, frame]);
    const { frames, remaining, skipped } = h02.split(stream);
    assert.deepEqual([frames.map((each) => each.length), remaining.length, skipped], [[length, length], length, 0]);
    assert.deepEqual(h02.splitRemaining?.(remaining).frames, [frame]);
    assert.deepEqual(h02.splitDatagram?.(stream).frames.length, 3);
  }
  assert.deepEqual(h02.splitRemaining?.(binary().subarray(0, 31)).frames, []);
});

test('a binary frame before garbage is not lost, nor is what follows', () => {
  const stream = Buffer.concat([binary({ length: 45 }), Buffer.alloc(40, 0xff), text('V0')]);
  const frames = framesOf(h02, [stream]);
  assert.equal(frames.length, 2);
  assert.equal(recordOf(Buffer.from(frames[0]!, 'hex')).timestamp, AT);
});

test('text that never ends is skipped', () => {
  const stream = Buffer.concat([Buffer.from(`*HQ,${'1'.repeat(5000)}`), text('V0')]);
  const { frames, skipped } = h02.split(stream);
  assert.deepEqual(frames.map(String), [`*HQ,${ID},V0#`]);
  assert.equal(skipped, 5004);
});

/** What a device does with a command, by its manual. */
function deviceReads(bytes: Buffer): { word: string; time: string; parameters: string[] } {
  const [, id, word, time, ...parameters] = /^\*(.*)#$/.exec(bytes.toString())![1]!.split(',') as [string, ...string[]];
  assert.equal(id, ID);
  return { word: word!, time: time!, parameters };
}

test('commands are what a device reads, and their replies name them', () => {
  const said = (name: (typeof h02.commands)[number], parameters = {}) => {
    const encoded = h02.encode!({ name, parameters, number: 1 }, session)!;
    const { word, time, parameters: read } = deviceReads(encoded.bytes);
    assert.equal(encoded.correlation, decode(text('V4', word, 'OK', time)).commandReply?.correlation);
    return [word, ...read].join(' ');
  };
  assert.equal(said('engineStop'), 'S20 1 1');
  assert.equal(said('engineResume'), 'S20 1 0');
  assert.equal(said('alarmArm'), 'SCF 0 0');
  assert.equal(said('alarmArm', { on: false }), 'SCF 1 1');
  assert.equal(said('interval', { seconds: 60 }), 'S71 22 60');
  assert.equal(said('reboot'), 'R1');
  const encoded = h02.encode!({ text: 'S71,22,60', number: 1 }, session)!;
  assert.equal(encoded.bytes.toString(), `*HQ,${ID},S71,104006,22,60#`);
});

test('what can not be said is not sent', () => {
  assert.equal(h02.encode!({ name: 'position', parameters: {}, number: 1 }, session), undefined);
  assert.equal(h02.encode!({ name: 'interval', parameters: {}, number: 1 }, session), undefined);
  assert.equal(h02.encode!({ text: 'R1#*HQ', number: 1 }, session), undefined);
  assert.equal(
    h02.encode!({ name: 'reboot', parameters: {}, number: 1 }, { ...session, identity: undefined }),
    undefined,
  );
});
