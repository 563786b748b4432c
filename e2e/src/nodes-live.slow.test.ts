import assert from 'node:assert/strict';
import test from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';
import { type Api, apiOf } from './harness/api.ts';
import { EventSource } from './harness/event-source.ts';
import { type ServerProcess, startServer } from './harness/server-process.ts';
import { makeStation } from './harness/station.ts';
import { SocketClient } from './harness/web-socket.ts';

/** A device, and the times of the positions that a server has taken from it. */
interface Reporting {
  readonly id: number;
  readonly key: string;
  readonly taken: string[];
}

const WS = '/v2/chasm/ws';
const DEVICES = 5;
const ROUNDS = 4;

onBothEngines('live streams of several servers', { migrations: [] }, (open) => {
  if (open.storeKind === 'sqlite') return;

  test('resume at any of them, each position once, also when one is killed and one is paused', async () => {
    const place = await open.migratedPlace(MIGRATIONS);
    const start = () => startServer(open.storeKind, place);
    const [first, second] = [await start(), await start()];
    const servers: ServerProcess[] = [first, second];
    const apis = new Map<ServerProcess, Api>(servers.map((server) => [server, apiOf(server.address)]));
    let clock = Date.now() - 3_600_000;
    let source: EventSource | undefined;
    const nextTime = () => {
      clock += 1000;
      return new Date(clock).toISOString();
    };
    try {
      const { owner } = await makeStation(apis.get(first)!);
      const devices: Reporting[] = [];
      for (let i = 0; i < DEVICES; i++) {
        const { id, deviceKey } = await owner.client.createDevice({ body: { name: `Van ${i}` } });
        devices.push({ id, key: deviceKey, taken: [] });
      }
      const ids = devices.map(({ id }) => id).join(',');
      /** Two positions of each device, all at once. */
      const report = (at: ServerProcess, reporting: readonly Reporting[] = devices) =>
        Promise.all(
          reporting.map(async ({ key, taken }) => {
            const times = [1, 2].map(() => nextTime());
            const points = times.map((timestamp) => ({ timestamp, location: { lat: 50, lng: 8 }, accuracy: 5 }));
            const submit = () => apis.get(at)!('POST', '/ingest/reports', { token: key, body: { points } });
            // One that was paused may close a connection that it thinks nobody uses: devices send again.
            const { status, text } = await submit().catch(submit);
            assert.equal(status, 200, text);
            taken.push(...times);
          }),
        );
      const count = () => devices.reduce((sum, { taken }) => sum + taken.length, 0);

      const received: { id: number; deviceId: number; timestamp: string }[] = [];
      let lastId = '';
      const listen = (at: ServerProcess) => {
        source = new EventSource(at.address, lastId === '' ? '' : `?lastEventId=${lastId}`, {
          authorization: owner.token,
        });
        return source;
      };
      /** Breaks off wherever it is, as often within a report as between two. */
      const hangUp = () => {
        source!.close();
        received.push(...source!.of('position').map(({ data }) => data));
        lastId = source!.lastId;
      };
      const socket = await new SocketClient(second.address, `${WS}?devices=${ids}`, {
        authorization: owner.token,
      }).opened();

      await listen(second).ready();
      for (let round = 0; round < ROUNDS; round++) {
        const written = Promise.all([report(first), report(second)]);
        await source!.until((now) => now.of('position').length > round, 'some positions');
        hangUp();
        listen(round % 2 ? second : first);
        await written;
      }
      await socket.until((now) => now.events('position').length === count(), 'all of them at the socket');
      socket.close();
      const hadAtSocket = socket.events('position').map(({ data }) => data.data.id);
      const placeOfSocket = socket.events('position').at(-1)!.data.id;

      // The one that is listened to dies amid reports of both; what it did not take was not answered.
      hangUp();
      await listen(second).ready();
      const [, ofDying] = [report(first), report(second).catch(() => {})];
      await source!.until((now) => now.events.length > 0, 'something');
      await second.kill();
      await ofDying;
      await source!.until((now) => now.isEnded, 'the end');
      hangUp();
      await listen(first).ready();
      await report(first);
      const again = await new SocketClient(first.address, `${WS}?devices=${ids}&lastEventId=${placeOfSocket}`, {
        authorization: owner.token,
      }).opened();

      // Another one is listened to while the first is paused: what others report is stored and sent meanwhile.
      const third = await start();
      servers.push(third);
      apis.set(third, apiOf(third.address));
      hangUp();
      await listen(third).ready();
      const ofPaused = report(first, devices.slice(0, 2));
      process.kill(first.pid, 'SIGSTOP');
      await report(third, devices.slice(2));
      process.kill(first.pid, 'SIGCONT');
      await ofPaused;

      const stored = await Promise.all(
        devices.map(async ({ id }) => ({
          id,
          times: (
            await apis.get(first)!('GET', `/api/devices/${id}/points?filter={"limit":1000,"order":"id"}`, {
              token: owner.token,
            })
          ).body.map(({ timestamp }: { timestamp: string }) => timestamp) as string[],
        })),
      );
      const all = stored.reduce((sum, { times }) => sum + times.length, 0);
      await source!.until((now) => received.length + now.of('position').length >= all, `all ${all}`);
      hangUp();
      for (const { id, times } of stored) {
        const { taken } = devices.find((device) => device.id === id)!;
        const positionsOf = received.filter(({ deviceId }) => deviceId === id).map(({ timestamp }) => timestamp);
        assert.deepEqual(positionsOf.toSorted(), times.toSorted(), 'each once');
        for (const time of taken) assert.ok(times.includes(time), 'what was answered is stored');
      }
      await again.until((now) => now.events('position').length >= all - hadAtSocket.length, 'the rest at the socket');
      const bySocket = [...hadAtSocket, ...again.events('position').map(({ data }) => data.data.id)];
      assert.equal(new Set(bySocket).size, all, 'each at sockets too');
      assert.equal(bySocket.length, all, 'and once');
      // Not in the order of their ids: two servers may draw those in another order than they commit.
      for (const device of devices) {
        const isOfDevice = ({ deviceId }: { deviceId: number }) => deviceId === device.id;
        const inStream = received.filter(isOfDevice).map(({ id }) => id);
        assert.deepEqual(
          inStream,
          bySocket.filter((id) => inStream.includes(id)),
          'in the order in which they were stored',
        );
      }
      again.close();
    } finally {
      source?.close();
      resume(servers);
      for (const api of apis.values()) api.close();
      for (const server of servers) if (server.isRunning()) await server.stop();
    }
  });
});

/** A server that is paused would not stop. */
function resume(servers: readonly ServerProcess[]): void {
  for (const server of servers) if (server.isRunning()) process.kill(server.pid, 'SIGCONT');
}
