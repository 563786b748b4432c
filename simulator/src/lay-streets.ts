import type { Spot } from './ground.ts';
import { hash, Random } from './random.ts';
import { LIMIT_KMH, type Street, type StreetKind, type Streets, streetsAt } from './streets.ts';

/**
 * Generates the streets of a city: an irregular grid with avenues and a few diagonals, a river with a few bridges and a
 * tunnel, and a ring road with one long tunnel.
 */
export function layStreets(seed: number, blocks: number, blockM: number): Streets {
  const random = new Random(hash(seed, 1));
  const radiusM = (blocks * blockM) / 2;
  const river = riverThrough(random, radiusM);
  const sheet: Sheet = { nodes: [], streets: [], river, radiusM };
  const grid = layGrid(random, sheet, blocks, blockM);
  layDiagonals(random, sheet, grid);
  layBridges(random, sheet, grid);
  keepLargestPart(sheet);
  layRing(random, sheet);
  return { ...sheet, river: river.line };
}

interface Sheet {
  nodes: Spot[];
  streets: Street[];
  readonly river: River;
  readonly radiusM: number;
}

interface River {
  readonly line: Spot[];
  /** Metres north of the river's centre line, negative to the south. */
  side(spot: Spot): number;
}

/** Node by column and row, −1 if there is no crossing. */
type Grid = readonly (readonly number[])[];

/** There are no streets within this distance of the river. */
const BANK_M = 70;
/** Every fifth column and row is an avenue. */
const AVENUE_EVERY = 5;
const isAvenue = (index: number) => index % AVENUE_EVERY === 2;

function riverThrough(random: Random, radiusM: number): River {
  const [bend, wave, phase] = [random.between(0.1, 0.2), random.between(0.5, 0.8), random.between(0, 6)];
  const [tilt, offset] = [random.between(-0.25, 0.25), random.between(-0.25, 0.25)];
  const northAt = (x: number) => (offset + bend * Math.sin(x / (wave * radiusM) + phase)) * radiusM + tilt * x;
  const line = Array.from({ length: 81 }, (_, i) => (i / 40 - 1) * 1.8 * radiusM).map((x) => ({ x, y: northAt(x) }));
  return { line, side: ({ x, y }) => y - northAt(x) };
}

function layGrid(random: Random, sheet: Sheet, blocks: number, blockM: number): Grid {
  const lines = () => {
    const at = [0];
    for (let i = 0; i < blocks; i++) at.push(at[i]! + blockM * random.between(0.65, 1.35));
    return at.map((value) => value - at[blocks]! / 2);
  };
  const [columns, rows] = [lines(), lines()];
  const [warpM, warp] = [blockM * 0.6, random.between(0, 6)];
  const outline = outlineOf(random, sheet.radiusM);
  const jitter = () => blockM * random.between(-0.11, 0.11);
  const grid = columns.map((x) =>
    rows.map((y) => {
      const spot = {
        x: x + warpM * Math.sin(y / (blockM * 6) + warp) + jitter(),
        y: y + warpM * Math.sin(x / (blockM * 7) + warp * 2) + jitter(),
      };
      const isOut = Math.hypot(spot.x, spot.y) > outline(spot) || Math.abs(sheet.river.side(spot)) < BANK_M;
      return isOut ? -1 : sheet.nodes.push(spot) - 1;
    }),
  );
  for (let i = 0; i <= blocks; i++) {
    for (let j = 0; j <= blocks; j++) {
      lay(random, sheet, grid[i]![j]!, grid[i + 1]?.[j], isAvenue(j));
      lay(random, sheet, grid[i]![j]!, grid[i]![j + 1], isAvenue(i));
    }
  }
  return grid;
}

/** The radius of the city in a direction. */
function outlineOf(random: Random, radiusM: number): (spot: Spot) => number {
  const [p, q] = [random.between(0, 6), random.between(0, 6)];
  return ({ x, y }) => {
    const angle = Math.atan2(y, x);
    return radiusM * (0.88 + 0.08 * Math.sin(3 * angle + p) + 0.04 * Math.sin(5 * angle + q));
  };
}

/** The share of missing streets. A grid without gaps would look artificial. */
const MISSING = 0.1;

function lay(random: Random, sheet: Sheet, a: number, b: number | undefined, avenue: boolean): void {
  const isGap = random.chance(MISSING) && !avenue;
  if (a < 0 || b === undefined || b < 0 || isGap || isAcross(sheet, a, b)) return;
  add(sheet, a, b, avenue ? 'avenue' : 'street');
}

const isAcross = ({ river, nodes }: Sheet, a: number, b: number) =>
  river.side(nodes[a]!) > 0 !== river.side(nodes[b]!) > 0;

function add(
  sheet: Sheet,
  a: number,
  b: number,
  kind: StreetKind,
  built: { isBridge?: boolean; isTunnel?: boolean } = {},
): void {
  const [p, q] = [sheet.nodes[a]!, sheet.nodes[b]!];
  sheet.streets.push({
    a,
    b,
    kind,
    lengthM: Math.hypot(q.x - p.x, q.y - p.y),
    limitKmh: LIMIT_KMH[kind],
    isBridge: built.isBridge ?? false,
    isTunnel: built.isTunnel ?? false,
    isCanyon: Math.hypot(p.x + q.x, p.y + q.y) / 2 < sheet.radiusM * 0.3,
  });
}

function layDiagonals(random: Random, sheet: Sheet, grid: Grid): void {
  const size = grid.length;
  const third = Math.floor(size / 3);
  for (const rise of [1, -1, random.chance(0.5) ? 1 : -1]) {
    let j = rise > 0 ? random.below(third) : size - 1 - random.below(third);
    for (let i = random.below(third); i + 1 < size && grid[i + 1]![j + rise] !== undefined; i++, j += rise) {
      const [a, b] = [grid[i]![j]!, grid[i + 1]![j + rise]!];
      if (a >= 0 && b >= 0 && !isAcross(sheet, a, b)) add(sheet, a, b, 'avenue');
    }
  }
}

function layBridges(random: Random, sheet: Sheet, grid: Grid): void {
  const spans = grid.flatMap((column, i) => {
    const nodes = column.filter((node) => node >= 0);
    const from = nodes.findIndex((node, j) => j + 1 < nodes.length && isAcross(sheet, node, nodes[j + 1]!));
    return isAvenue(i) && from >= 0 ? [[nodes[from]!, nodes[from + 1]!] as const] : [];
  });
  // With one or two crossings of the river, all are bridges.
  const tunnel = spans.length > 2 ? random.below(spans.length) : -1;
  spans.forEach(([a, b], index) => {
    add(sheet, a, b, 'avenue', index === tunnel ? { isTunnel: true } : { isBridge: true });
  });
}

/** Removes the parts that the gaps cut off, so that every node can be reached from every other. */
function keepLargestPart(sheet: Sheet): void {
  const at = streetsAt(sheet);
  const part = sheet.nodes.map(() => -1);
  const sizes: number[] = [];
  for (let start = 0; start < part.length; start++) {
    if (part[start] !== -1) continue;
    const number = sizes.length;
    const reached = [start];
    part[start] = number;
    for (const node of reached) {
      for (const street of at[node]!) {
        const { a, b } = sheet.streets[street]!;
        const other = a === node ? b : a;
        if (part[other] !== -1) continue;
        part[other] = number;
        reached.push(other);
      }
    }
    sizes.push(reached.length);
  }
  const largest = sizes.indexOf(Math.max(...sizes));
  const renumbered = new Map<number, number>();
  sheet.nodes = sheet.nodes.filter((_, node) => {
    if (part[node] !== largest) return false;
    renumbered.set(node, renumbered.size);
    return true;
  });
  sheet.streets = sheet.streets
    .filter(({ a }) => renumbered.has(a))
    .map((street) => ({ ...street, a: renumbered.get(street.a)!, b: renumbered.get(street.b)! }));
}

const RING_NODES = 72;
const TUNNEL_NODES = 7;
/** Every sixth node of the ring has a link road to the city. */
const LINK_EVERY = 6;

function layRing(random: Random, sheet: Sheet): void {
  const inner = sheet.nodes.length;
  const radiusM = sheet.radiusM * 1.08;
  const [turn, wobble] = [random.between(0, 6), random.between(0, 6)];
  for (let k = 0; k < RING_NODES; k++) {
    const angle = turn + (k / RING_NODES) * 2 * Math.PI;
    const r = radiusM * (1 + 0.05 * Math.sin(2 * angle + wobble));
    sheet.nodes.push({ x: r * Math.cos(angle), y: r * Math.sin(angle) });
  }
  const tunnelFrom = 1 + LINK_EVERY * random.below(RING_NODES / LINK_EVERY - 2);
  for (let k = 0; k < RING_NODES; k++) {
    const [a, b] = [inner + k, inner + ((k + 1) % RING_NODES)];
    const isTunnel = k >= tunnelFrom && k < tunnelFrom + TUNNEL_NODES;
    add(sheet, a, b, 'ring', { isTunnel, isBridge: !isTunnel && isAcross(sheet, a, b) });
    const isUnderground = isTunnel && k > tunnelFrom;
    if (k % LINK_EVERY === 0 && !isUnderground) add(sheet, a, nearest(sheet, a, inner), 'link');
  }
}

/** The crossing of the city that is nearest to a node of the ring, on the same bank. */
function nearest(sheet: Sheet, from: number, count: number): number {
  const spot = sheet.nodes[from]!;
  let best = -1;
  let bestM = Number.POSITIVE_INFINITY;
  for (let node = 0; node < count; node++) {
    const there = sheet.nodes[node]!;
    const m = Math.hypot(there.x - spot.x, there.y - spot.y);
    if (m < bestM && !isAcross(sheet, from, node)) [best, bestM] = [node, m];
  }
  return best;
}
