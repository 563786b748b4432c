import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startBroker } from './harness/broker.ts';
import { onEitherEngine } from './harness/engines.ts';
import { startInProcess } from './harness/server-in-process.ts';
import { type Cell, ENDED_RIGHTS, THINGS, type Thing, WAYS, type Way } from './permissions/ended-rights.ts';
import { makeScene, type Scene } from './permissions/ended-rights-scene.ts';
import { HOOK_SECRET, MAKE, type Made } from './permissions/ended-rights-things.ts';

const isThere = (cell: Cell): cell is Exclude<Cell, { none: string }> => cell === 'ends' || 'goesOn' in cell;

/**
 * For each way in which a right can end, the holder makes everything that the table has, all of it is seen to work, the
 * right ends, and there is news: none of it may reach the former holder. Others who get the same news say when it is out,
 * twice, so that whatever was caused by the first has gone out by the second.
 */
onEitherEngine(
  'a right that ends',
  (running) => {
    const ways = WAYS.map((way) => [way, THINGS.filter((thing) => isThere(ENDED_RIGHTS[way][thing]))] as const).filter(
      ([, things]) => things.length > 0,
    );
    const played = new Map<Way, Promise<Played>>();
    before(() => {
      // All at once: most of each is waiting for what goes out.
      for (const [way, things] of ways) {
        const one = play(things, () => makeScene(running.api, running.server, way));
        one.catch(() => {});
        played.set(way, one);
      }
    });
    for (const [way, things] of ways) declareWay(way, things, () => played.get(way)!);
  },
  { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8', TRACKWAY_MQTT_HOOK_SECRET: HOOK_SECRET },
  async (engine, place, settings) => {
    const brokers = new AsyncDisposableStack();
    const { url } = await startBroker({ after: (end) => brokers.defer(async () => void (await end())) });
    const server = await startInProcess(engine, place, { ...settings, TRACKWAY_MQTT_URL: url });
    return { ...server, stop: () => server.stop().finally(() => brokers.disposeAsync()) };
  },
);

interface Played {
  readonly made: ReadonlyMap<Thing, Made>;
  close(): void;
}

async function play(things: readonly Thing[], sceneOf: () => Promise<Scene>): Promise<Played> {
  const scene = await sceneOf();
  const made = new Map<Thing, Made>();
  const close = () => {
    for (const one of made.values()) one.close?.();
    scene.ends.close();
  };
  try {
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
    return { made, close };
  } catch (error) {
    close();
    throw error;
  }
}

function declareWay(way: Way, things: readonly Thing[], playing: () => Promise<Played>): void {
  describe(way, () => {
    let played: Played;
    before(async () => {
      played = await playing();
    });
    after(() => played?.close());

    for (const thing of things) {
      const cell = ENDED_RIGHTS[way][thing];
      test(cell === 'ends' ? `ends the ${thing}` : `leaves the ${thing}`, async () => {
        assert.equal(await played.made.get(thing)!.reached(), cell !== 'ends');
      });
    }
  });
}
