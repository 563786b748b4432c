import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batches } from './batches.ts';

interface Job {
  readonly deviceId: number;
  readonly weight: number;
  readonly name: string;
}

const job = (deviceId: number, name: string, weight = 1): Job => ({ deviceId, name, weight });

/** Commits that end on request. */
function batching(
  maxParallelCommits: number,
  pauseAfter = () => 0,
  groupOf?: (deviceId: number) => number,
  waitMs = 0,
) {
  const open: { names: string[]; end(): void }[] = [];
  const began: (() => void)[] = [];
  const groups = new Batches<Job>(
    (jobs) =>
      new Promise((end) => {
        open.push({ names: jobs.map(({ name }) => name), end });
        for (const report of began.splice(0)) report();
      }),
    { maxParallelCommits, pauseAfter, groupOf, waitMs },
  );
  /** Waits until so many are under way. */
  const underWay = async (count: number) => {
    while (open.length < count) await new Promise<void>((report) => began.push(report));
    return open.map(({ names }) => names.join(' '));
  };
  const end = (index = 0) => open.splice(index, 1)[0]!.end();
  return { groups, underWay, end, open };
}

test('what comes while a commit is under way shares the next one', async () => {
  const { groups, underWay, end } = batching(1);
  const all = [groups.join(job(1, 'a')), groups.join(job(2, 'b'))];
  assert.deepEqual(await underWay(1), ['a b']);
  all.push(groups.join(job(3, 'c')), groups.join(job(1, 'd')));
  end();
  assert.deepEqual(await underWay(1), ['c d']);
  end();
  await Promise.all(all);
});

test('while many come, a commit waits for more until there are enough', async () => {
  const { groups, underWay, end, open } = batching(1, undefined, undefined, 600_000);
  const join = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => groups.join(job(from + index, 'x')));
  const all = join(0, 60);
  await underWay(1);
  all.push(...join(100, 1));
  end();
  await all[0];
  all.push(...join(101, 14));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(open.length, 0, 'it waits');
  all.push(...join(115, 1));
  assert.deepEqual(await underWay(1), [Array(16).fill('x').join(' ')]);
  end();
  await Promise.all(all);
});

test('devices of different groups share no commit, and the group that waits longest comes first', async () => {
  const { groups, underWay, end } = batching(1, undefined, (deviceId) => deviceId % 2);
  const all = [1, 2, 3, 4, 5].map((deviceId) => groups.join(job(deviceId, String(deviceId))));
  assert.deepEqual(await underWay(1), ['1 3 5']);
  all.push(groups.join(job(1, 'again')));
  end();
  assert.deepEqual(await underWay(1), ['2 4']);
  end();
  assert.deepEqual(await underWay(1), ['again']);
  end();
  await Promise.all(all);
});

test('devices are served in turn: a flood waits behind itself', async () => {
  const { groups, underWay, end } = batching(1);
  const all = ['a', 'b', 'c'].map((name) => groups.join(job(1, name, 150)));
  all.push(groups.join(job(2, 'x')), groups.join(job(3, 'y')));
  assert.deepEqual(await underWay(1), ['a x y b']);
  all.push(groups.join(job(4, 'z')));
  end();
  assert.deepEqual(await underWay(1), ['c z']);
  end();
  await Promise.all(all);
});

test('several light reports of a device share its turn, so many that others hardly wait', async () => {
  const { groups, underWay, end } = batching(1);
  const all = Array.from({ length: 500 }, (_, index) => groups.join(job(1, `a${index}`, 2)));
  all.push(groups.join(job(2, 'x', 2)));
  const [first] = await underWay(1);
  assert.equal(first!.split(' ').indexOf('x'), 8);
  end();
  await underWay(1);
  while (groups.waiting > 0) {
    end();
    await underWay(1);
  }
  end();
  await Promise.all(all);
});

test('a heavy report shares no commit with light ones, and both kinds take turns', async () => {
  const { groups, underWay, end } = batching(1);
  const all = ['a', 'b'].map((name) => groups.join(job(1, name, 2000)));
  all.push(groups.join(job(2, 'x')));
  assert.deepEqual(await underWay(1), ['a']);
  all.push(groups.join(job(3, 'y')));
  end();
  assert.deepEqual(await underWay(1), ['x y']);
  all.push(groups.join(job(4, 'z')));
  end();
  assert.deepEqual(await underWay(1), ['b']);
  end();
  assert.deepEqual(await underWay(1), ['z']);
  end();
  await Promise.all(all);
});

/** A light report and two heavy ones, of which the first is stored. */
async function pausing(pauseMs: number) {
  const { groups, underWay, end } = batching(1, () => pauseMs);
  const all = [groups.join(job(2, 'w'))];
  await underWay(1);
  all.push(groups.join(job(1, 'a', 2000)), groups.join(job(1, 'b', 2000)));
  end();
  assert.deepEqual(await underWay(1), ['a']);
  end();
  await all[1];
  return { groups, underWay, end, all };
}

test('while light reports come, a heavy commit is followed by a rest that light ones may use', async () => {
  const { groups, underWay, end, all } = await pausing(3_600_000);
  all.push(groups.join(job(2, 'x')));
  assert.deepEqual(await underWay(1), ['x'], 'though the heavy one came before it');
  end();
  await all[3];
  const stopped = groups.stop();
  assert.deepEqual(await underWay(1), ['b'], 'stopping stores what rests');
  end();
  await Promise.all([...all, stopped]);
});

test('after its rest a heavy report is stored, though nothing else comes', async () => {
  const { underWay, end, all } = await pausing(1);
  assert.deepEqual(await underWay(1), ['b']);
  end();
  await Promise.all(all);
});

test('with two lanes another group goes at once, but none of a device that is under way', async () => {
  const { groups, underWay, end } = batching(2);
  const all = [groups.join(job(1, 'a', 300))];
  assert.deepEqual(await underWay(1), ['a']);
  all.push(groups.join(job(1, 'b', 300)), groups.join(job(2, 'c', 300)));
  assert.deepEqual(await underWay(2), ['a', 'c']);
  all.push(groups.join(job(1, 'd', 300)));
  end(1);
  end(0);
  assert.deepEqual(await underWay(1), ['b']);
  end();
  assert.deepEqual(await underWay(1), ['d']);
  end();
  await Promise.all(all);
  await groups.stop();
});

test('one that cannot be committed does not fail the others', async () => {
  const groups = new Batches<Job>(async (jobs) => {
    if (jobs.some(({ name }) => name === 'bad')) throw new Error('on purpose');
  });
  const outcomes = await Promise.allSettled([
    groups.join(job(1, 'good')),
    groups.join(job(2, 'bad')),
    groups.join(job(3, 'good')),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
