import assert from 'node:assert/strict';
import test from 'node:test';
import { FairQueue } from './queue.ts';

interface Item {
  owner: string;
  n: number;
}

function filled(capacity: number, perOwner: number, owners: string): FairQueue<Item> {
  const queue = new FairQueue<Item>(capacity, perOwner);
  [...owners].forEach((owner, n) => {
    queue.add({ owner, n });
  });
  return queue;
}

/** Takes and finishes all items one by one, and returns their owners in order. */
function serveAll(queue: FairQueue<Item>): string {
  let served = '';
  for (let item = queue.take(); item; item = queue.take()) {
    served += item.owner;
    queue.finished(item);
  }
  return served;
}

test('owners are served in turn, whoever put in more', () => {
  assert.equal(serveAll(filled(64, 8, 'aaaabbc')), 'abcabaa');
});

test('an owner’s items come in the order they were added', () => {
  const queue = filled(64, 8, 'aaa');
  const order = [];
  for (let item = queue.take(); item; item = queue.take()) {
    order.push(item.n);
    queue.finished(item);
  }
  assert.deepEqual(order, [0, 1, 2]);
});

test('an owner with one running waits, others do not', () => {
  const queue = filled(64, 8, 'aab');
  const first = queue.take()!;
  assert.equal(queue.take()?.owner, 'b');
  assert.equal(queue.take(), undefined);
  queue.finished(first);
  assert.equal(queue.take()?.owner, 'a');
});

test('it is bounded in all and per owner', () => {
  const queue = filled(4, 2, 'aab');
  assert.equal(queue.add({ owner: 'a', n: 9 }), false);
  assert.equal(queue.add({ owner: 'b', n: 9 }), true);
  assert.equal(queue.add({ owner: 'c', n: 9 }), false);
  queue.take();
  assert.equal(queue.add({ owner: 'c', n: 9 }), true);
});

test('what was removed takes no room and gets no turn', () => {
  const queue = new FairQueue<Item>(2, 2);
  const [first, second] = [
    { owner: 'a', n: 1 },
    { owner: 'b', n: 2 },
  ];
  queue.add(first);
  queue.add(second);
  queue.remove(first);
  queue.remove(first);
  assert.equal(queue.add({ owner: 'c', n: 3 }), true);
  assert.equal(queue.add({ owner: 'd', n: 4 }), false);
  assert.equal(serveAll(queue), 'bc');
});

test('emptying it gives back all that waited', () => {
  const queue = filled(64, 8, 'aab');
  assert.equal(queue.removeAll().length, 3);
  assert.equal(queue.take(), undefined);
  assert.equal(queue.add({ owner: 'a', n: 1 }), true);
});
