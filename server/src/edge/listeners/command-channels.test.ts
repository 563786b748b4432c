import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { type TestContext, test } from 'node:test';
import type { TrackerLink } from '../../calls.ts';
import { eventually } from '../../testing/eventually.ts';
import { CommandChannels, type CommandLine } from './command-channels.ts';
import { callTracker } from './testing/caller.ts';
import { FakeGateway } from './testing/fake-gateway.ts';
import { quietTrackers } from './testing/quiet-trackers.ts';
import { startTrackers } from './trackers.ts';

async function start(t: TestContext) {
  const gateway = new FakeGateway();
  gateway.known.set('one', { deviceId: 1 });
  gateway.known.set('two', { deviceId: 2 });
  const trackers = await startTrackers({ ...quietTrackers(gateway), sweepMs: 50 });
  t.after(() => trackers.stop());
  const call = () => callTracker(t, trackers.port!);
  const order = (text: string) => {
    gateway.commands.push({ messageId: gateway.commands.length + gateway.fates.size + 1, text });
    trackers.wake(1);
  };
  return { gateway, trackers, call, order };
}

test('a device that logs in and says nothing more receives its commands', async (t) => {
  const { call, order } = await start(t);
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n');
  order('status');
  await device.receives('hello\n>status\n');
});

test('what waits for a device goes down after its login', async (t) => {
  const { call, order } = await start(t);
  order('status');
  const device = await call();
  device.say('@one\n');
  await device.receives('hello\n>status\n');
});

test('a heartbeat that names its device opens the channel', async (t) => {
  const { call, order } = await start(t);
  const device = await call();
  device.say('@one\n@one\n');
  await device.receives('hello\nhello\n');
  order('status');
  await device.receives('hello\nhello\n>status\n');
});

test('while two connections name a device, a command is held, and the owner is notified', async (t) => {
  const { gateway, call, order } = await start(t);
  const [device, other] = [await call(), await call()];
  device.say('@one\n+1,5,6\n');
  await device.receives('hello\n1\n');
  other.say('@one\n+2,5,6\n');
  await other.receives('hello\n2\n');
  order('stop');
  await eventually('it is held', () => gateway.heldFor !== undefined);
  assert.match(gateway.heldFor!, /two connections/);
  await eventually('the owner is notified', () => gateway.contests.length === 1);
  assert.deepEqual(gateway.contests[0]!.second, { protocol: 'h02', transport: 'tcp', address: '127.0.0.1' });
  assert.deepEqual([device.received(), other.received()], ['hello\n1\n', 'hello\n2\n']);
  other.socket.destroy();
  await device.receives('hello\n1\n>stop\n');
});

test('a second connection is noticed as soon as both have spoken, once', async (t) => {
  const { gateway, call } = await start(t);
  const [device, other] = [await call(), await call()];
  device.say('@one\n');
  await device.receives('hello\n');
  other.say('@one\n');
  await other.receives('hello\n');
  assert.deepEqual(gateway.contests, [], 'a device may have connected anew');
  await new Promise((resolve) => setTimeout(resolve, 2));
  device.say('~\n');
  await device.receives('hello\nalive\n');
  other.say('~\n');
  await other.receives('hello\nalive\n');
  assert.equal(gateway.contests.length, 1);
});

test('a connection that was open beside that of the device gets no commands later, the next one does', async (t) => {
  const { gateway, call, order } = await start(t);
  const [device, other] = [await call(), await call()];
  device.say('@one\n');
  await device.receives('hello\n');
  other.say('@one\n');
  await other.receives('hello\n');
  await new Promise((resolve) => setTimeout(resolve, 2));
  device.say('~\n');
  await device.receives('hello\nalive\n');
  other.say('~\n');
  await other.receives('hello\nalive\n');
  device.socket.destroy();
  order('stop');
  await eventually('it is held', () => /open at the same time/.test(gateway.heldFor ?? ''));
  const next = await call();
  next.say('@one\n~\n');
  await next.receives('hello\nalive\n>stop\n');
  assert.equal(other.received(), 'hello\nalive\n');
});

test('a device that connected anew gets its commands once its former connection is closed', async (t) => {
  const { call, order } = await start(t);
  const [former, device] = [await call(), await call()];
  former.say('@one\n');
  await former.receives('hello\n');
  device.say('@one\n~\n');
  await device.receives('hello\nalive\n');
  order('stop');
  former.socket.destroy();
  await device.receives('hello\nalive\n>stop\n');
});

test('a reply counts only over the connection that received the command', async (t) => {
  const { gateway, call, order } = await start(t);
  const device = await call();
  device.say('@one\n+1,5,6\n');
  await device.receives('hello\n1\n');
  order('stop');
  await device.receives('hello\n1\n>stop\n');
  const other = await call();
  other.say('@one\n=done\n~\n');
  await other.receives('hello\nalive\n');
  assert.equal(gateway.fates.get(1), 'written');
  device.say('=done\n');
  await eventually('it is confirmed', () => gateway.fates.get(1) === 'confirmed by done');
});

// Without a reply the next one waits for a minute.
test('a command whose connection is closed before the reply does not delay the next one', {
  timeout: 30_000,
}, async (t) => {
  const { call, order } = await start(t);
  const device = await call();
  device.say('@one\n+1,5,6\n');
  await device.receives('hello\n1\n');
  order('reboot');
  await device.receives('hello\n1\n>reboot\n');
  device.socket.destroy();
  const again = await call();
  again.say('@one\n+2,5,6\n');
  await again.receives('hello\n2\n');
  order('status');
  await again.receives('hello\n2\n>status\n');
});

test('a connection that may not receive commands neither does nor holds them up', async (t) => {
  const { gateway, trackers, call, order } = await start(t);
  const device = await call();
  device.say('@one\n+1,5,6\n');
  await device.receives('hello\n1\n');
  gateway.known.set('one', { deviceId: 1, commandRefusal: 'Held: not by UDP.' });
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  const received: string[] = [];
  socket.on('message', (bytes) => received.push(String(bytes)));
  socket.send('#one+2,5,6\n', trackers.port!, '127.0.0.1');
  await eventually('it is answered', () => received.length === 1);
  assert.deepEqual(
    gateway.contests.map(({ second }) => second.transport),
    ['udp'],
  );
  order('stop');
  await device.receives('hello\n1\n>stop\n');
  device.socket.destroy();
  order('again');
  await eventually('it is held', () => gateway.heldFor === 'Held: not by UDP.');
  assert.deepEqual(received, ['2\n']);
});

test('the connections of a device end when its channel is released', async (t) => {
  const { trackers, call } = await start(t);
  const [device, other] = [await call(), await call()];
  device.say('@one\n');
  await device.receives('hello\n');
  other.say('@two\n');
  await other.receives('hello\n');
  trackers.release(1);
  await device.closed();
  assert.ok(!other.isClosed());
});

const MINUTE = 60_000;

function line(transport: TrackerLink['transport']): CommandLine {
  return {
    link: { protocol: 'h02', transport, address: '' },
    transport,
    known: { deviceId: 1 },
    protocolFor: () => undefined,
    encode: () => undefined,
    sendCommand: () => true,
    probe: () => {},
    release: () => {},
  };
}

test('a connection keeps the channel until it is silent for three of its intervals, and UDP never replaces TCP', () => {
  const channels = new CommandChannels({ contested: () => {} });
  const [first, second, datagrams] = [line('tcp'), line('tcp'), line('udp')];
  const has = (now: number) => {
    const found = channels.addressed(1, now);
    return found !== undefined && 'line' in found ? found.line : found?.held.slice(0, 4);
  };
  for (let minute = 0; minute <= 20; minute += 5) channels.spoke(1, first, undefined, minute * MINUTE);
  for (let minute = 21; minute <= 34; minute++) channels.spoke(1, second, undefined, minute * MINUTE);
  assert.equal(has(34 * MINUTE), 'Held');
  assert.equal(has(35 * MINUTE), second, 'after 15 minutes');
  channels.spoke(1, first, undefined, 36 * MINUTE);
  assert.equal(has(36 * MINUTE), 'Held', 'the first one is back');
  channels.left(1, first);
  assert.equal(has(36 * MINUTE), second);
  channels.spoke(1, datagrams, undefined, 36 * MINUTE);
  for (let minute = 37; minute < 37 + 25 * 60; minute++) channels.spoke(1, datagrams, undefined, minute * MINUTE);
  assert.equal(has((36 + 25 * 60) * MINUTE), 'Held');
  channels.left(1, second);
  assert.equal(has((36 + 25 * 60) * MINUTE), datagrams);
});

test('a device that reports by UDP from changing ports still receives commands', () => {
  const channels = new CommandChannels({ contested: () => assert.fail('nothing is contested') });
  let received = 0;
  for (let minute = 0; minute < 60; minute++) {
    const port = line('udp');
    channels.spoke(1, port, undefined, minute * MINUTE);
    const found = channels.addressed(1, minute * MINUTE);
    if (found !== undefined && 'line' in found && found.line === port) received++;
  }
  assert.ok(received >= 12, `${received} of 60 reports`);
});

test('a device with more connections than are tracked receives no commands, also after most of them are closed', () => {
  const channels = new CommandChannels({ contested: () => {} });
  const [tracker, others] = [line('tcp'), Array.from({ length: 16 }, () => line('tcp'))];
  for (const one of others) channels.spoke(1, one, undefined, 0);
  channels.spoke(1, tracker, undefined, MINUTE);
  for (const one of others.slice(1)) channels.left(1, one);
  assert.ok('held' in channels.addressed(1, MINUTE)!, 'only an attacker is tracked now');
  channels.spoke(1, tracker, undefined, 2 * MINUTE);
  channels.left(1, others[0]!);
  assert.deepEqual(channels.addressed(1, 10 * MINUTE), { line: tracker });
});
