import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { followClock } from '../../platform/clock.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { eventually } from '../../testing/eventually.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { FailureLimit } from '../http/rate-limit.ts';
import { callTracker } from './testing/caller.ts';
import { FakeGateway } from './testing/fake-gateway.ts';
import { lineProtocol } from './testing/line-protocol.ts';
import { quietTrackers } from './testing/quiet-trackers.ts';
import { startTrackers, type TrackerOptions } from './trackers.ts';

async function start(t: TestContext, more: Partial<TrackerOptions> = {}) {
  const gateway = new FakeGateway();
  gateway.known.set('one', { deviceId: 1 });
  gateway.known.set('two', { deviceId: 2 });
  const trackers = await startTrackers({ ...quietTrackers(gateway), ...more });
  t.after(() => {
    // A test that failed may still hold reports, for which the service would wait.
    gateway.release();
    return trackers.stop();
  });
  return { gateway, trackers, call: (port = trackers.port!) => callTracker(t, port) };
}

/** Nothing that could happen at once happens any more. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

test('a device is answered only once what it said is durable', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.hold();
  const before = gateway.calls;
  device.say('+1,5,6\n');
  await eventually('it is read', () => gateway.calls > before);
  await settled();
  assert.equal(device.received(), 'hello\n');
  gateway.release();
  await device.receives('hello\n1\n');
  assert.deepEqual(gateway.times, [1]);
});

test('answers come in the order of the frames, also where one of them needs nothing to be durable', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  gateway.hold();
  device.say('@one\n~\n+1,5,6\n~\n+2,5,6\n+3,5,6\n');
  // What comes before the first position goes out at once; a heartbeat behind one waits for it.
  await device.receives('hello\nalive\n');
  await settled();
  assert.equal(device.received(), 'hello\nalive\n');
  gateway.release();
  await device.receives('hello\nalive\n1\nalive\n2\n3\n');
  assert.deepEqual(gateway.times, [1, 2, 3]);
});

test('it does not matter where a stream is cut, nor what is between its frames', async (t) => {
  const { gateway, call } = await start(t);
  const stream = '@one\n+1,5,6\ngarbage\n+2,5,6\n~\n';
  for (let cut = 1; cut < stream.length; cut++) {
    gateway.received.length = 0;
    const device = await call();
    device.say(stream.slice(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    device.say(stream.slice(cut));
    await device.receives('hello\n1\n2\nalive\n');
    assert.deepEqual(gateway.times, [1, 2], `cut at ${cut}`);
    device.socket.destroy();
  }
  assert.ok(gateway.strange.some(({ problem, deviceId }) => problem.includes('outside of frames') && deviceId === 1));
});

test('thousands of frames at once are all stored and answered in order, by a device that is read no faster', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.hold();
  const count = 20_000;
  for (let n = 1; n <= count; n++) device.socket.write(`+${n},5,6\n`);
  await eventually('no more is read', () => device.socket.writableLength > 0 || device.socket.bytesWritten > 200_000);
  gateway.release();
  const expected = Array.from({ length: count }, (_, n) => `${n + 1}\n`).join('');
  await device.receives(`hello\n${expected}`);
  assert.equal(gateway.times.length, count);
  assert.deepEqual(
    gateway.times,
    gateway.times.toSorted((a, b) => a! - b!),
  );
});

test('a damaged frame is neither stored nor answered, but counted with its bytes; a port may take it all the same', async (t) => {
  const fixed = [{ number: 0, protocol: lineProtocol, acceptsWrongChecksum: true }];
  const { gateway, trackers, call } = await start(t, { fixed });
  const device = await call();
  device.say('@one\n+1,5,6?\n~\n');
  await device.receives('hello\nalive\n');
  assert.deepEqual(gateway.times, []);
  assert.deepEqual(
    gateway.strange.map(({ deviceId, bytes, protocol }) => [deviceId, String(bytes), protocol]),
    [[1, '+1,5,6?', 'h02']],
  );
  const generous = await call(trackers.fixed[0]);
  generous.say('@one\n+1,5,6?\n');
  await generous.receives('hello\n1\n');
});

test('what is refused for good is confirmed all the same', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.outcome = 'refused';
  device.say('+1,5,6\n');
  await device.receives('hello\n1\n');
});

test('what can not be stored is not confirmed, and the connection is closed', async (t) => {
  const logged: unknown[] = [];
  const log = { ...watchfulLog, error: (...args: unknown[]) => void logged.push(args) };
  const { gateway, call } = await start(t, { log });
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.outcome = new Error('a fault');
  device.say('+1,5,6\n');
  await device.closed();
  assert.equal(device.received(), 'hello\n');
  assert.equal(logged.length, 1);
});

test('a store in trouble is tried again before a device is let go', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.outcome = new StoreTrouble('busy', new Error('busy'));
  device.say('+1,5,6\n');
  await settled();
  gateway.outcome = 'stored';
  await device.receives('hello\n1\n');
  assert.deepEqual(gateway.times, [1]);
});

test('somebody unknown gets the refusal of the protocol, unknownTrackers, and is closed after a few frames', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@nobody\n');
  await device.receives('who\n');
  assert.deepEqual(
    gateway.unknownTrackers.map(({ protocol, names, address }) => [protocol, names, address]),
    [['h02', ['nobody'], '127.0.0.1']],
  );
  for (let n = 1; n < 5; n++) device.say(`+${n},5,6\n`);
  await device.closed();
  assert.deepEqual(gateway.received, []);
});

test('a tracker that is added is accepted from the next frame on', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@new\n');
  await device.receives('who\n');
  gateway.known.set('new', { deviceId: 9 });
  device.say('+1,5,6\n');
  await device.receives('who\n1\n');
  assert.equal(gateway.received.at(-1)!.deviceId, 9);
});

test('a device whose right ends is refused', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.outcome = 'gone';
  gateway.known.delete('one');
  device.say('+1,5,6\n');
  await device.receives('hello\nwho\n');
});

test('a key names its device; a wrong one does not, unless the device needs none', async (t) => {
  const { gateway, call } = await start(t);
  gateway.known.set('secret', { deviceId: 3 });
  const right = await call();
  right.say('%three=secret\n+1,5,6\n');
  await right.receives('hello\n1\n');
  assert.equal(gateway.received.at(-1)!.deviceId, 3);
  const wrong = await call();
  wrong.say('%three=guess\n');
  await wrong.receives('who\n');
  const keyless = await call();
  keyless.say('%one=guess\n');
  await keyless.receives('hello\n');
});

test('another identity on the same connection ends it, except on a port for relays', async (t) => {
  const fixed = [{ number: 0, protocol: lineProtocol, isRelay: true }];
  const { gateway, trackers, call } = await start(t, { fixed });
  const device = await call();
  device.say('#one+1,5,6\n');
  await device.receives('1\n');
  device.say('#two+2,5,6\n');
  await device.closed();
  assert.deepEqual(gateway.times, [1]);
  assert.match(gateway.strange.at(-1)!.problem, /another identity/);
  const relay = await call(trackers.fixed[0]);
  relay.say('#one+3,5,6\n#two+4,5,6\n#one+5,5,6\n');
  await relay.receives('3\n4\n5\n');
  assert.deepEqual(
    gateway.received.map(({ deviceId }) => deviceId),
    [1, 1, 2, 1],
  );
});

test('an address that fails too often is closed, except with a name that was right there', async (t) => {
  // Failures are counted per minute of the clock, which must not end within the test.
  const now = Date.now();
  t.after(followClock(() => now));
  const { gateway, call } = await start(t, { failures: new FailureLimit(3) });
  const good = await call();
  good.say('@one\n');
  await good.receives('hello\n');
  for (const name of ['a', 'b', 'c']) {
    const device = await call();
    device.say(`@${name}\n`);
    await device.receives('who\n');
  }
  const more = await call();
  more.say('@two\n');
  await more.closed();
  assert.equal(more.received(), '');
  assert.equal(gateway.unknownTrackers.length, 3);
  const again = await call();
  again.say('@one\n');
  await again.receives('hello\n');
});

test('HTTP gets 400 and is closed; TLS is closed where there is no certificate; so is an unknown protocol', async (t) => {
  const { gateway, call } = await start(t);
  const browser = await call();
  browser.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await browser.closed();
  assert.match(browser.received(), /^HTTP\/1\.1 400 Bad Request\r\n/);
  const secure = await call();
  secure.say(Buffer.from('16030100c8010000c40303', 'hex'));
  await secure.closed();
  assert.equal(secure.received(), '');
  const strange = await call();
  strange.say('xyz');
  await strange.closed();
  assert.deepEqual(
    gateway.strange.map(({ protocol, bytes }) => [protocol, String(bytes)]),
    [['unknown', 'xyz']],
  );
});

test('connections are limited, in all and for each address', async (t) => {
  for (const limits of [{ connections: 2 }, { perAddress: 2 }]) {
    const { call } = await start(t, limits);
    const first = await call();
    const second = await call();
    const third = await call();
    await third.closed();
    first.socket.destroy();
    await eventually('there is room again', async () => {
      const next = await call();
      next.say('@one\n');
      await eventually('it is answered or closed', () => next.received() !== '' || next.isClosed());
      return next.received() !== '';
    });
    assert.ok(!second.isClosed());
  }
});

test('who says nothing, or not who it is, is closed in time; who reports stays', async (t) => {
  const { call } = await start(t, { idleMs: 600_000, unknownMs: 200, sweepMs: 20 });
  const silent = await call();
  const known = await call();
  known.say('@one\n');
  await silent.closed();
  known.say('~\n');
  await known.receives('hello\nalive\n');
  const { call: callBusy } = await start(t, { idleMs: 200, unknownMs: 60_000, sweepMs: 20 });
  const idle = await callBusy();
  idle.say('@one\n');
  await idle.closed();
});

test('a service that stops answers what it has read, and then closes', async (t) => {
  const { gateway, trackers, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.hold();
  device.say('+1,5,6\n');
  await settled();
  const stopping = trackers.stop();
  await settled();
  assert.ok(!device.isClosed());
  gateway.release();
  await stopping;
  await device.closed();
  assert.equal(device.received(), 'hello\n1\n');
});

test('a device that says no more still gets its answers', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  gateway.hold();
  device.socket.end('@one\n+1,5,6\n');
  await settled();
  gateway.release();
  await device.closed();
  assert.equal(device.received(), 'hello\n1\n');
});

test('a port that is taken is a warning, and the others are open', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const warnings: unknown[] = [];
  const log = { ...watchfulLog, warn: (...args: unknown[]) => void warnings.push(args.at(-1)) };
  const fixed = [{ number: 0, protocol: lineProtocol }];
  const { trackers, call } = await start(t, { port, fixed, log });
  assert.equal(trackers.port, undefined);
  assert.deepEqual(warnings, [`Cannot listen for trackers on port ${port}: any protocol`]);
  const device = await call(trackers.fixed[0]);
  device.say('@one\n');
  await device.receives('hello\n');
});

test('a port of the settings is named in the log by its protocol, or as one for any', async (t) => {
  const reported: unknown[] = [];
  const log = { ...watchfulLog, info: (...args: unknown[]) => void reported.push(args.at(-1)) };
  const fixed = [{ number: 0, protocol: lineProtocol }, { number: 0 }];
  const { trackers } = await start(t, { fixed, log });
  const [named, any] = trackers.fixed;
  assert.deepEqual(reported, [`Listening for h02 on port ${named}`, `Listening for any protocol on port ${any}`]);
});

test('datagrams are answered to their sender, once they are durable', async (t) => {
  const { gateway, trackers } = await start(t);
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const received: string[] = [];
  socket.on('message', (bytes) => received.push(String(bytes)));
  const say = (text: string) => socket.send(text, trackers.port!, '127.0.0.1');
  gateway.hold();
  say('#one+1,5,6\n');
  await settled();
  assert.deepEqual(received, []);
  gateway.release();
  await eventually('it is answered', () => received.length === 1);
  say('#two+2,5,6\n');
  say('#one+3,5,6\n');
  await eventually('each is answered', () => received.length === 3);
  assert.deepEqual(received, ['1\n', '2\n', '3\n']);
  assert.deepEqual(
    gateway.received.map(({ deviceId }) => deviceId),
    [1, 2, 1],
  );
  say('#nobody+4,5,6\n');
  await eventually('it is refused', () => received.at(-1) === 'who\n');
  say('nonsense');
  await eventually('it is counted', () => gateway.strange.length === 1);
});

test('a message goes down while the device is connected, one at a time, and the reply is tied to it', async (t) => {
  const { gateway, trackers, call } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  gateway.commands.push({ messageId: 1, text: 'status' }, { messageId: 2, text: 'version' });
  trackers.wake(1);
  assert.equal(device.received(), 'hello\n', 'nothing is said in the moment in which the device says who it is');
  device.say('+1,5,6\n');
  await device.receives('hello\n1\n>status\n');
  device.say('+2,5,6\n');
  await device.receives('hello\n1\n>status\n2\n');
  device.say('=all is well\n');
  await device.receives('hello\n1\n>status\n2\n>version\n');
  assert.deepEqual(Object.fromEntries(gateway.fates), { 1: 'confirmed by all is well', 2: 'written' });
  device.say('=error\n');
  await eventually('it is refused', () => gateway.fates.get(2) === 'refused by error');
  const messages = gateway.received.flatMap(({ report }) => report.messages);
  assert.deepEqual(messages, [
    { message: 'all is well', correlationId: 'reply to 1' },
    { message: 'error', correlationId: 'reply to 2' },
  ]);
  gateway.commands.push({ messageId: 3, text: 'hello' });
  trackers.wake(1);
  await device.receives('hello\n1\n>status\n2\n>version\n>hello\n');
});

test('a named command goes down in the words of the protocol; what it has no words for fails and is never sent', async (t) => {
  const { gateway, call } = await start(t);
  const device = await call();
  gateway.commands.push(
    { messageId: 1, command: { name: 'reboot', parameters: {} } },
    { messageId: 2, command: { name: 'position', parameters: { fast: true } } },
  );
  device.say('@one\n+1,5,6\n');
  await device.receives('hello\n1\n>position {"fast":true}\n');
  assert.deepEqual(Object.fromEntries(gateway.fates), { 1: 'unsupported', 2: 'written' });
});

test('two connections that put one device at places too distant are reported, once', async (t) => {
  const { gateway, call } = await start(t);
  const [here, there] = [await call(), await call()];
  here.say('@one\n+1000000,50,8\n');
  await here.receives('hello\n1000000\n');
  there.say('@one\n+1060000,50.1,8\n');
  await there.receives('hello\n1060000\n');
  assert.deepEqual(gateway.journeys, [], 'a device that connected anew and drove on');
  here.say('+1120000,53,8\n+1180000,53,8\n');
  await here.receives('hello\n1000000\n1120000\n1180000\n');
  there.say('+1240000,50.1,8\n');
  await there.receives('hello\n1060000\n1240000\n');
  assert.deepEqual(gateway.journeys, [{ deviceId: 1, addresses: ['127.0.0.1', '127.0.0.1'], km: 322, seconds: 60 }]);
});
