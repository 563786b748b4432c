import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onBothEngines } from './harness/engines.ts';
import { type Cell, ENDED_RIGHTS, THINGS, type Thing, WAYS, type Way } from './permissions/ended-rights.ts';
import { makeScene, type Scene } from './permissions/ended-rights-scene.ts';
import { MAKE, type Made } from './permissions/ended-rights-things.ts';

const isThere = (cell: Cell): cell is Exclude<Cell, { none: string }> => cell === 'ends' || 'goesOn' in cell;

/**
 * For each way in which a right can end, the holder makes everything that the table has, all of it is seen to work, the
 * right ends, and there is news: none of it may reach the former holder. Others who get the same news say when it is out,
 * twice, so that whatever was caused by the first has gone out by the second.
 */
onBothEngines(
  'a right that ends',
  (running) => {
    for (const way of WAYS) {
      const things = THINGS.filter((thing) => isThere(ENDED_RIGHTS[way][thing]));
      if (things.length > 0) declareWay(way, things, (made) => makeScene(running.api, running.server.address, made));
    }
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' },
);

function declareWay(way: Way, things: readonly Thing[], sceneOf: (way: Way) => Promise<Scene>): void {
  describe(way, () => {
    let scene: Scene;
    const made = new Map<Thing, Made>();

    before(async () => {
      scene = await sceneOf(way);
      for (const thing of things) made.set(thing, await MAKE[thing](scene));
      await scene.news();
      const isWaiting = (thing: Thing) => thing === 'held notification' || thing === 'queued digest';
      for (const [thing, one] of made) if (!isWaiting(thing)) await one.works();
      for (const thing of ['queued digest', 'held notification'] as const) await made.get(thing)?.waits?.();
      await scene.end();
      for (const one of made.values()) one.ended?.();
      await scene.news();
      await scene.news();
      for (const one of made.values()) await one.release?.();
    });
    after(() => {
      for (const one of made.values()) one.close?.();
      scene?.ends.close();
    });

    for (const thing of things) {
      const cell = ENDED_RIGHTS[way][thing];
      test(cell === 'ends' ? `ends the ${thing}` : `leaves the ${thing}`, async () => {
        assert.equal(await made.get(thing)!.reached(), cell !== 'ends');
      });
    }
  });
}
