import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../../server/src/domain/schema/migrations.ts';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { type Api, apiOf } from '../harness/api.ts';
import { alwaysUp, fallSilent, notifiedDevices, startNodes } from '../harness/nodes.ts';
import { adminOf } from '../harness/people.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import { voiceOf } from '../harness/station.ts';

const HOUR_S = 3600;
const SLOTS = 64;
/** One in each slot, and some more. */
const DEVICES = 70;

const longAgo = (place: string) =>
  lookInto(place, (store) =>
    store.query
      .updateTable('notifications')
      .set(({ eb }) => ({ timestamp: eb('timestamp', '-', 24 * HOUR_S * 1000) }))
      .execute(),
  );

interface SharedNode {
  readonly name: string;
  readonly slots: readonly number[];
  readonly owns: readonly { readonly what: string; readonly count: number }[];
}

onPostgres('the clocks of several nodes', { migrations: [] }, (open) => {
  test('are shared, and handed over when a node comes, stops, dies or is paused; all is decided once', async (t) => {
    const place = await open.migratedPlace(MIGRATIONS);
    await alwaysUp(place);
    const start = async (name: string) => (await startNodes(t, place, [{ TRACKWAY_NODE_NAME: name }]))[0]!;
    const nodes = new Map<string, ServerProcess>();
    const apis = new Map<string, Api>();
    // One that is paused would not stop.
    t.after(() => {
      for (const node of nodes.values()) if (node.isRunning()) process.kill(node.pid, 'SIGCONT');
    });
    const talkTo = (name: string) => {
      const api = apiOf(nodes.get(name)!.address);
      apis.set(name, api);
      t.after(() => api.close());
    };
    const begin = async (name: string) => {
      nodes.set(name, await start(name));
      talkTo(name);
    };
    await begin('one');
    const { token } = await adminOf(apis.get('one')!);

    /** Which node owns which timers, as one of them reports it. */
    const shares = async (asked: string): Promise<Map<string, readonly number[]>> => {
      const { body } = await apis.get(asked)!('GET', '/api/nodes', { token });
      return new Map((body as SharedNode[]).map(({ name, slots }) => [name, slots]));
    };
    /** All slots are shared evenly by these, and by nobody else. */
    const untilShared = (asked: string, by: readonly string[]) =>
      eventually(
        `the clocks are shared by ${by.join(', ')}`,
        async () => [...(await shares(asked))],
        (all) => {
          const counts = all.map(([name, { length }]) => [name, length] as const);
          return (
            new Set(all.flatMap(([, slots]) => slots)).size === SLOTS &&
            counts.every(([name, count]) => count > 0 === by.includes(name)) &&
            counts.every(([, count]) => count === 0 || Math.abs(count - SLOTS / by.length) < 1)
          );
        },
      );
    const { client } = voiceOf(apis.get('one')!, await adminOf(apis.get('one')!));
    const ids: number[] = [];
    let at: string[] = ['one'];
    const report = async (deviceKey: string, node: string) => {
      const { status, text } = await apis.get(node)!('POST', '/ingest/reports', {
        headers: { authorization: deviceKey },
        body: { points: [{ lat: 48, lng: 11 }] },
      });
      assert.equal(status, 200, text);
    };
    const keys: string[] = [];
    for (let index = 0; index < DEVICES; index++) {
      const { id, deviceKey } = await client.createDevice({ body: { name: `van ${index}` } });
      await client.createNotificationTrigger({ id, body: { type: 'offline', parameters: { after: HOUR_S } } });
      await report(deviceKey!, 'one');
      ids.push(id);
      keys.push(deviceKey!);
    }
    let silences = 0;
    /** All fall silent: each is notified, by whoever keeps its clock. */
    const allFallSilent = async () => {
      for (const [index, key] of keys.entries()) await report(key, at[index % at.length]!);
      silences++;
      // What was notified since the last report of a device is not notified again: the silences before were long ago.
      await longAgo(place);
      await fallSilent(place, ids, 2 * HOUR_S * 1000);
      const received = () => notifiedDevices(place);
      await eventually('each is notified', received, (all) => all.length >= silences * DEVICES);
    };
    const owned = (name: string) =>
      lookInto(place, (store) =>
        store.query
          .selectFrom('slotTimers as c')
          .innerJoin('nodes as n', 'n.id', 'c.owner')
          .select('c.slot')
          .where('n.name', '=', name)
          .execute(),
      );

    await untilShared('one', ['one']);
    await begin('two');
    await begin('three');
    await untilShared('two', ['one', 'two', 'three']);
    at = ['one', 'two', 'three'];
    await allFallSilent();

    const health = await apis.get('two')!('GET', '/api/health', { token });
    assert.deepEqual(health.body.slots, (await shares('two')).get('two'));

    // One that stops hands them over before it ends: nobody waits for a lease.
    await nodes.get('two')!.stop();
    assert.deepEqual(await owned('two'), []);
    await untilShared('one', ['one', 'three']);

    // One dies; what it kept the clocks of is decided by the others.
    await nodes.get('three')!.kill();
    at = ['one'];
    await allFallSilent();
    await untilShared('one', ['one']);

    // One is paused for longer than its leases: another takes over, and it decides nothing again once it goes on.
    await begin('four');
    await untilShared('four', ['one', 'four']);
    process.kill(nodes.get('one')!.pid, 'SIGSTOP');
    at = ['four'];
    await allFallSilent();
    await untilShared('four', ['four']);
    process.kill(nodes.get('one')!.pid, 'SIGCONT');
    // It closes the connections that were idle for so long.
    talkTo('one');
    await untilShared('one', ['one', 'four']);
    at = ['one', 'four'];
    await allFallSilent();

    const received = await notifiedDevices(place);
    assert.deepEqual(
      received,
      ids.flatMap((id) => new Array(silences).fill(id)).sort((a, b) => a - b),
    );
  });
});
