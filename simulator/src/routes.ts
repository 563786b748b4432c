import { type Streets, streetsAt } from './streets.ts';

/** The fastest routes to a fixed set of destinations. The tree of each destination is cached at its first use. */

export type Way = 'wheels' | 'feet';

/** For each node, the street to take towards the destination. −1 at the destination itself. */
type Tree = Int32Array;

export class Routes {
  readonly #streets: Streets;
  readonly #at: readonly (readonly number[])[];
  readonly #trees = { wheels: new Map<number, Tree>(), feet: new Map<number, Tree>() };

  constructor(streets: Streets) {
    this.#streets = streets;
    this.#at = streetsAt(streets);
  }

  /** How many streets meet at a node. */
  meeting(node: number): number {
    return this.#at[node]!.length;
  }

  /** The streets from one node to another, in order. */
  between(from: number, to: number, way: Way): number[] {
    let tree = this.#trees[way].get(to);
    if (tree === undefined) {
      tree = this.#treeTo(to, way);
      this.#trees[way].set(to, tree);
    }
    const route: number[] = [];
    for (let node = from; node !== to; ) {
      const street = tree[node]!;
      if (street < 0) throw new Error(`There is no route from ${from} to ${to}`);
      route.push(street);
      const { a, b } = this.#streets.streets[street]!;
      node = a === node ? b : a;
    }
    return route;
  }

  /** Dijkstra's algorithm from the destination outwards, with a binary heap of nodes. */
  #treeTo(goal: number, way: Way): Tree {
    const { nodes, streets } = this.#streets;
    const cost = new Float64Array(nodes.length).fill(Number.POSITIVE_INFINITY);
    const tree = new Int32Array(nodes.length).fill(-1);
    const heap: [cost: number, node: number][] = [];
    cost[goal] = 0;
    push(heap, [0, goal]);
    for (let top = pop(heap); top !== undefined; top = pop(heap)) {
      const [reached, node] = top;
      if (reached > cost[node]!) continue;
      for (const index of this.#at[node]!) {
        const { a, b, kind, lengthM, limitKmh } = streets[index]!;
        if (way === 'feet' && kind === 'ring') continue;
        const other = a === node ? b : a;
        // A crossing costs a driver about as much as 100 m of street.
        const next = reached + (way === 'feet' ? lengthM : (lengthM + 100) / limitKmh);
        if (next >= cost[other]!) continue;
        cost[other] = next;
        tree[other] = index;
        push(heap, [next, other]);
      }
    }
    return tree;
  }
}

type Entry = [cost: number, node: number];

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent]![0] <= entry[0]) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (top === undefined || last === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]![0] < heap[child]![0]) child++;
    if (heap[child]![0] >= last[0]) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return top;
}
