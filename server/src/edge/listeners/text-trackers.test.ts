import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { trackerProtocols } from '../protocols/trackers/trackers.ts';
import { callTracker } from './testing/caller.ts';
import { FakeGateway } from './testing/fake-gateway.ts';
import { quietTrackers } from './testing/quiet-trackers.ts';
import { startTrackers } from './trackers.ts';

/** One port, on which whoever speaks is recognised. */
async function start(t: TestContext, ...names: readonly string[]) {
  const gateway = new FakeGateway();
  for (const [index, name] of names.entries()) gateway.known.set(name, { deviceId: index + 1 });
  const trackers = await startTrackers({ ...quietTrackers(gateway), protocols: trackerProtocols });
  t.after(() => trackers.stop());
  return { gateway, trackers, call: () => callTracker(t, trackers.port!) };
}

const AT = Date.parse('2021-07-13T10:40:05Z');
const IMEI = '123456789012345';
const RMC = 'GPRMC,104005.000,A,5230.0000,N,01315.0000,E,10.00,90.00,130721,,,A';

const WATCH_FIX = '130721,104005,A,52.500000,N,13.250000,E,3.60,90.0,34.5,7,60,88,1000,50';
const watchSays = (content: string) => `[3G*8800000015*${content.length.toString(16).padStart(4, '0')}*${content}]`;

/** What a device of each protocol sends, and what it receives. */
const SAYINGS: readonly { name: string; identity: string; says: string; receives: string }[] = [
  {
    name: 'wialon',
    identity: IMEI,
    says: `#L#${IMEI};NA\r\n#SD#130721;104005;5230.0000;N;01315.0000;E;36;90;34;7\r\n#P#\r\n`,
    receives: '#AL#1\r\n#ASD#1\r\n#AP#\r\n',
  },
  {
    name: 'gps103',
    identity: IMEI,
    says: `##,imei:${IMEI},A;${IMEI};imei:${IMEI},help me,210713124005,,F,104005.000,A,5230.0000,N,01315.0000,E,10.00,;`,
    receives: `LOADON**,imei:${IMEI},E;`,
  },
  {
    name: 'tk103',
    identity: '088012345678',
    says: `(088012345678BP05${IMEI}210713A5230.0000N01315.0000E036.0104005090.0001000166L000003E8)`,
    receives: '(088012345678AP05)',
  },
  {
    name: 'watch',
    identity: '8800000015',
    says: `${watchSays('LK')}${watchSays(`AL,${WATCH_FIX},00010000,0,0`)}`,
    receives: `${watchSays('LK')}${watchSays('AL')}`,
  },
  { name: 'xexun', identity: IMEI, says: `${RMC}*5D,F,,imei:${IMEI},05,34.5,F:4.12V,0\r\n`, receives: '' },
  { name: 'nmea', identity: IMEI, says: `$IMEI=${IMEI}\r\n$${RMC}\r\n`, receives: '' },
  {
    name: 'minifinder',
    identity: IMEI,
    says: `!1,${IMEI};!D,13/07/21,10:40:05,52.500000,13.250000,36.0,90.5,1,34.5,88,7,12,1.5;`,
    receives: '',
  },
];

for (const { name, identity, says, receives } of SAYINGS)
  test(`${name}: is recognised, stored and answered, however its bytes come`, async (t) => {
    const { gateway, call } = await start(t, identity);
    for (const size of [says.length, 7]) {
      gateway.received.length = 0;
      const device = await call();
      for (let at = 0; at < says.length; at += size) {
        device.say(says.slice(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await device.receives(receives);
      await eventually('its position is stored', () => gateway.times.includes(AT));
      const point = gateway.received
        .flatMap(({ report }) => report.points)
        .find(({ location }) => location !== undefined);
      assert.deepEqual(point?.location, { lat: 52.5, lng: 13.25 });
      assert.deepEqual(gateway.strange, []);
      device.socket.destroy();
    }
  });

const H02 = '4209130001';
const BINARY = Buffer.from(`24${H02}1040051307215230000006013150000e010090ffffffffff0001`, 'hex');

test('h02: text is answered by the time, and a binary frame is whole once the device is silent', async (t) => {
  const { gateway, call } = await start(t, H02);
  const device = await call();
  device.say(`*HQ,${H02},V1,104005,A,5230.0000,N,01315.0000,E,010.00,090,130721,FFFFFFFF#`);
  await eventually('it is answered', () => /^\*HQ,4209130001,V4,V1,\d{14}#$/.test(device.received()));
  assert.deepEqual(gateway.times, [AT]);
  device.say(BINARY);
  await eventually('the binary frame is stored too', () => gateway.times.length === 2);
  assert.deepEqual(gateway.strange, []);
});

test('h02: a binary frame that comes in two reads is one frame', async (t) => {
  const { gateway, call } = await start(t, H02);
  const device = await call();
  device.say(Buffer.concat([BINARY, BINARY.subarray(0, 20)]));
  await eventually('the first is stored', () => gateway.times.length === 1);
  device.say(BINARY.subarray(20));
  await eventually('the second is stored', () => gateway.times.length === 2);
  assert.deepEqual(gateway.strange, []);
});

test('h02: a datagram is read to its end', async (t) => {
  const { gateway, trackers } = await start(t, H02);
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.send(Buffer.concat([BINARY, BINARY]), trackers.port!, '127.0.0.1');
  await eventually('both are stored', () => gateway.times.length === 2);
});

test('h02: the reply to a command is known by its word and time', async (t) => {
  const { gateway, trackers, call } = await start(t, H02);
  const device = await call();
  device.say(BINARY);
  device.say(`*HQ,${H02},V0#`);
  await device.receives(`*HQ,${H02},V0#`);
  gateway.commands.push({ messageId: 1, command: { name: 'engineStop', parameters: {} } });
  trackers.wake(1);
  await eventually('it receives the command', () => /S20,\d{6},1,1#$/.test(device.received()));
  const [, time] = /S20,(\d{6})/.exec(device.received())!;
  device.say(`*HQ,${H02},V4,S20,000000,${time === '000001' ? '000002' : '000001'}#`);
  device.say(`*HQ,${H02},V4,S20,DONE,${time}#`);
  await eventually('it is confirmed', () => gateway.fates.get(1) === `confirmed by S20,DONE,${time}`);
});

test('h02: a binary frame is whole once the device hangs up', async (t) => {
  const { gateway, call } = await start(t, H02);
  const device = await call();
  device.socket.end(BINARY);
  await device.closed();
  assert.deepEqual(gateway.times, [AT]);
});

for (const garbage of ['\r\n\r\n', '\xff', '\0\0\0', 'garbage\r\n', '\x80\x90\xa0*\x03'])
  test(`a device is recognised in spite of ${JSON.stringify(garbage)} before its first frame`, async (t) => {
    const { gateway, call } = await start(t, IMEI);
    const device = await call();
    const bytes = Buffer.from(
      `${garbage}#L#${IMEI};NA\r\n#SD#130721;104005;5230.0000;N;01315.0000;E;36;90;34;7\r\n`,
      'latin1',
    );
    device.say(bytes);
    await device.receives('#AL#1\r\n#ASD#1\r\n');
    assert.deepEqual(gateway.times, [AT]);
  });

test('garbage alone is not listened to', async (t) => {
  const { gateway, call } = await start(t, IMEI);
  const device = await call();
  device.say('garbage\r\n');
  await device.closed();
  assert.equal(gateway.strange.length, 1);
});
