import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batches } from './batches.ts';

interface Job {
  readonly deviceId: number;
  readonly weight: number;
  readonly name: string;
}

const job = (deviceId: number, name: string, weight = 1): Job => ({ deviceId, name, weight });

/** Commits that end when they are told to. */
function batching(maxParallelCommits: number, restAfter = () => 0) {
  const open: { names: string[]; end(): void }[] = [];
  const began: (() => void)[] = [];
  const groups = new Batches<Job>(
    (jobs) =>
      new Promise((end) => {
        open.push({ names: jobs.map(({ name }) => name), end });
        for (const tell of began.splice(0)) tell();
      }),
    { maxParallelCommits, restAfter },
  );
  /** Waits until so many are under way. */
  const underWay = async (count: number) => {
    while (open.length < count) await new Promise<void>((tell) => began.push(tell));
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
async function resting(restMs: number) {
  const { groups, underWay, end } = batching(1, () => restMs);
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
  const { groups, underWay, end, all } = await resting(3_600_000);
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
  const { underWay, end, all } = await resting(1);
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
