import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../../platform/log.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeUser } from '../../../testing/people.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import { ALL_DEVICES } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type NodeOptions, startNode } from './node.ts';
import { nodeOperations } from './operations.ts';

const DESTINATIONS = { what: 'destinations', count: 2 };

onEitherEngine<Tables>('nodes', { migrations: MIGRATIONS }, (open) => {
  const said: string[] = [];
  const log = {
    warn: (_: object, text: string) => said.push(text),
    error: (_: object, text: string) => said.push(text),
  };
  const optionsOf = (name: string, more: Partial<NodeOptions> = {}): NodeOptions => ({
    name,
    address: () => `http://${name}:8080`,
    log: log as unknown as Log,
    figures: () => ({ reportsPerMinute: 5, positionsPerMinute: 7, streams: 1, memoryBytes: 1000 }),
    owns: () => ({ destinations: 2, broker: 0 }),
    outdated: () => {},
    // The test says when.
    beatMs: 3_600_000,
    ...more,
  });

  test('know each other; one that stops, or does not report, is gone, and that is logged once', async (t) => {
    const store: Store = await open();
    const admin = await makeUser(store, 'admin@example.com', true);
    said.length = 0;
    const one = await startNode(store, optionsOf('one'));
    t.after(() => one.stop());
    const { listNodes } = nodeOperations(store, one, ALL_DEVICES);
    const list = async () =>
      (await listNodes(callOf(admin, {}))) as { name: string; state: string; isThis: boolean; owns: unknown }[];
    const states = async () => (await list()).map(({ name, state }) => `${name} ${state}`);
    if (open.storeKind === 'sqlite') {
      assert.deepEqual(await states(), ['one up']);
      assert.deepEqual(await store.query.selectFrom('nodes').selectAll().execute(), [], 'nothing is written');
      return;
    }
    const two = await startNode(store, optionsOf('two'));
    const three = await startNode(store, optionsOf('three'));
    assert.equal(three.count(), 3);
    assert.deepEqual((await states()).sort(), ['one up', 'three up', 'two up']);
    assert.deepEqual((await list()).map(({ isThis, owns }) => [isThis, owns]).sort(), [
      [false, [DESTINATIONS]],
      [false, [DESTINATIONS]],
      [true, [{ what: 'slots', count: 64 }, DESTINATIONS]],
    ]);
    await two.stop();
    // As if it had been killed a while ago.
    await store.query
      .updateTable('nodes')
      .set({ seenAt: store.now() - 16_000 })
      .where('id', '=', three.id)
      .execute();
    await one.beat();
    await one.beat();
    assert.deepEqual((await states()).sort(), ['one up', 'three gone', 'two gone']);
    assert.equal(one.count(), 1);
    assert.deepEqual(
      said.filter((text) => text.includes('three')),
      ['Node three is gone: it has not reported for a while'],
    );
    // One that was paused is back.
    await three.beat();
    assert.deepEqual((await states()).sort(), ['one up', 'three up', 'two gone']);
    await three.stop();
    await store.query
      .updateTable('nodes')
      .set({ goneAt: store.now() - 3_700_000 })
      .where('goneAt', 'is not', null)
      .execute();
    await one.beat();
    assert.deepEqual(await states(), ['one up']);
  });

  if (open.storeKind === 'postgres')
    test('one that a newer version left behind stops; a change that it can live with lets it go on', async (t) => {
      const store: Store = await open();
      let outdated = 0;
      const node = await startNode(store, optionsOf('old', { outdated: () => outdated++ }));
      t.after(() => node.stop());
      const apply = (name: string, suitsOlderNodes: number | null) =>
        store.query
          .insertInto('migrations')
          .values({ name, checksum: 'x', suitsOlderNodes, appliedAt: 1 } as never)
          .execute();
      await apply('9998-suits', 1);
      await node.beat();
      assert.equal(outdated, 0);
      await apply('9999-breaks', null);
      await node.beat();
      await node.beat();
      assert.equal(outdated, 1);
    });
});
