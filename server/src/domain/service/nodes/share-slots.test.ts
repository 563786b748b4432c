import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SLOTS } from '../../schema/owned-devices.ts';
import { shareSlots } from './node-clocks.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const nodeSets = fc.subarray(NAMES, { minLength: 1 });
/** Slots of running nodes, of stopped nodes, and without an owner. */
const ownerLists = fc.array(fc.constantFrom(...NAMES, undefined), { minLength: SLOTS, maxLength: SLOTS });

type Owners = (string | undefined)[];

const countsOf = (owners: Owners, nodes: readonly string[]) =>
  nodes.map((node) => owners.filter((owner) => owner === node).length);

function assertShared(owners: Owners, nodes: readonly string[]): void {
  assert.ok(owners.every((owner) => owner !== undefined && nodes.includes(owner)));
  const counts = countsOf(owners, nodes);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join(' '));
}

/** One node does what it planned from what it saw, as far as that still holds. */
function act(owners: Owners, seen: Owners, nodes: readonly string[], own: string): number {
  const { give, take } = shareSlots(seen, nodes, own);
  let moved = 0;
  for (const [slot, to] of give)
    if (owners[slot] === own) {
      owners[slot] = to;
      moved++;
    }
  for (const slot of take)
    if (owners[slot] === undefined) {
      owners[slot] = own;
      moved++;
    }
  return moved;
}

/** The leases of stopped nodes end. */
const lapse = (owners: Owners, nodes: readonly string[]): Owners =>
  owners.map((owner) => (owner !== undefined && nodes.includes(owner) ? owner : undefined));

test('with any owners: after each node has run once, all slots are shared evenly, and nothing changes any more', () => {
  fc.assert(
    fc.property(ownerLists, nodeSets, (before, nodes) => {
      const owners = lapse(before, nodes);
      for (const node of nodes) act(owners, owners, nodes, node);
      assertShared(owners, nodes);
      for (const node of nodes) assert.equal(act(owners, owners, nodes, node), 0);
    }),
  );
});

test('nodes that see the same never want the same slot, and never give more than another has room for', () => {
  fc.assert(
    fc.property(ownerLists, nodeSets, (before, nodes) => {
      const owners = lapse(before, nodes);
      const seen = [...owners];
      const taken = nodes.flatMap((node) => shareSlots(seen, nodes, node).take);
      assert.equal(new Set(taken).size, taken.length);
      for (const node of nodes) act(owners, seen, nodes, node);
      assertShared(owners, nodes);
    }),
  );
});

test('as few slots change hands as possible, when nodes come and when they stop', () => {
  fc.assert(
    fc.property(nodeSets, fc.constantFrom(...NAMES), (nodes, changing) => {
      const owners: Owners = new Array(SLOTS).fill(undefined);
      for (const node of nodes) act(owners, owners, nodes, node);
      const others = nodes.filter((node) => node !== changing);
      if (others.length < nodes.length) {
        // It stops, and hands its slots to the others at once, in one go.
        const had = countsOf(owners, [changing])[0]!;
        const moved = act(owners, owners, others, changing);
        assert.equal(moved, others.length === 0 ? 0 : had);
        if (others.length > 0) assertShared(owners, others);
        return;
      }
      const all = [...nodes, changing];
      const moved = nodes.reduce((sum, node) => sum + act(owners, owners, all, node), 0);
      assert.equal(moved, Math.floor(SLOTS / all.length));
      assertShared(owners, all);
    }),
  );
});

test('nodes that come, stop and die, and look at what was true a moment ago, still end up with even shares', () => {
  const step = fc.record({ who: fc.nat(NAMES.length - 1), does: fc.constantFrom('look', 'look', 'look', 'turn') });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), nodeSets, (steps, first) => {
      let owners: Owners = new Array(SLOTS).fill(undefined);
      let running = [...first];
      let seen = [...owners];
      for (const { who, does } of steps) {
        const node = NAMES[who]!;
        if (does === 'turn') {
          running = running.includes(node) ? running.filter((one) => one !== node) : [...running, node];
          owners = lapse(owners, running);
        } else if (running.includes(node)) {
          const now = [...owners];
          act(owners, seen, running, node);
          seen = now;
        }
      }
      if (running.length === 0) return;
      for (let round = 0; round < 1; round++) for (const node of running) act(owners, owners, running, node);
      assertShared(owners, running);
      for (const node of running) assert.equal(act(owners, owners, running, node), 0);
    }),
  );
});
