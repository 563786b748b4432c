import { type Drive, driveAlong } from './drive.ts';
import { type Ground, groundAt, type Place, type Spot } from './ground.ts';
import { layStreets } from './lay-streets.ts';
import { MODES, type Mode, PACES } from './pace.ts';
import { hash, Random } from './random.ts';
import { Routes } from './routes.ts';
import type { Streets } from './streets.ts';

/** A fictional city: streets, and addresses that people and vehicles go to. */

export interface Address extends Spot {
  readonly name: string;
  readonly kind: 'depot' | 'customer';
  /** The crossing at the address. */
  readonly node: number;
}

export interface City {
  readonly seed: number;
  readonly ground: Ground;
  /** Local time for working hours: whole hours by longitude, without daylight saving time. */
  readonly utcOffsetMs: number;
  readonly network: Streets;
  readonly addresses: readonly Address[];
  /** Number of depots. They come first in the list of addresses. */
  readonly depots: number;
  /** The drive from one address to another. It is the same for all movers, who differ only in tempo. */
  drive(from: number, to: number, mode: Mode): Drive;
  /** The duration of that drive in seconds. Cached separately, since planning a day needs many durations. */
  driveS(from: number, to: number, mode: Mode): number;
  /** The nearest other addresses. */
  near(address: number): readonly number[];
}

export interface CityOptions {
  readonly seed?: number;
  /** Defaults to open country in the south of Portugal. */
  readonly center?: Place;
  /** Blocks from one side to the other. */
  readonly blocks?: number;
  /** The mean length of a block. */
  readonly blockM?: number;
}

const DEFAULT_CENTER: Place = { lat: 38.42, lng: -8.02 };
const DEPOTS = 6;
const CUSTOMERS = 90;
/** At most this many cached drives, of about 2 kB each: all drives between these addresses. */
const MAX_CACHED_DRIVES = 30_000;
const NEAR = 14;
const HOUR_MS = 3_600_000;

export function createCity(options: CityOptions = {}): City {
  const { seed = 1, center = DEFAULT_CENTER, blocks = 26, blockM = 230 } = options;
  if (!(blocks >= 8 && blocks <= 200)) throw new RangeError('blocks must be between 8 and 200.');
  const network = layStreets(seed, blocks, blockM);
  const addresses = chooseAddresses(seed, network);
  const routes = new Routes(network);
  const drives = new Map<number, Drive>();
  const durations = new Float64Array(MODES.length * addresses.length ** 2);
  const keyOf = (from: number, to: number, mode: Mode) =>
    (MODES.indexOf(mode) * addresses.length + from) * addresses.length + to;
  const nearby: (readonly number[] | undefined)[] = [];

  const makeDrive = (from: number, to: number, mode: Mode, key: number): Drive => {
    const [start, goal] = [addresses[from]!.node, addresses[to]!.node];
    const pace = PACES[mode];
    return driveAlong({
      network,
      from: start,
      route: routes.between(start, goal, pace.way),
      pace,
      seed: hash(seed, 3, key),
      meeting: (node) => routes.meeting(node),
    });
  };

  const drive = (from: number, to: number, mode: Mode): Drive => {
    const key = keyOf(from, to, mode);
    let known = drives.get(key);
    if (known === undefined) {
      known = makeDrive(from, to, mode, key);
      if (drives.size >= MAX_CACHED_DRIVES) drives.delete(drives.keys().next().value!);
      drives.set(key, known);
    }
    return known;
  };

  return {
    seed,
    ground: groundAt(center),
    utcOffsetMs: Math.round(center.lng / 15) * HOUR_MS,
    network,
    addresses,
    depots: DEPOTS,
    drive,
    driveS(from, to, mode) {
      const key = keyOf(from, to, mode);
      if (durations[key] === 0) durations[key] = drive(from, to, mode).durationS;
      return durations[key]!;
    },
    near(address) {
      nearby[address] ??= nearest(addresses, address);
      return nearby[address];
    },
  };
}

function nearest(addresses: readonly Address[], of: number): number[] {
  const { x, y } = addresses[of]!;
  return addresses
    .map((there, index) => ({ index, m: Math.hypot(there.x - x, there.y - y) }))
    .filter(({ index }) => index !== of)
    .sort((a, b) => a.m - b.m || a.index - b.index)
    .slice(0, NEAR)
    .map(({ index }) => index);
}

const DEPOT_NAMES = ['Harbour', 'North Gate', 'Mill Yard', 'Railway', 'East Field', 'Brickworks'];

function chooseAddresses(seed: number, { nodes, streets, radiusM }: Streets): Address[] {
  const random = new Random(hash(seed, 2));
  const onRing = new Set(streets.filter(({ kind }) => kind === 'ring').flatMap(({ a, b }) => [a, b]));
  const free = random.shuffle(nodes.map((_, node) => node).filter((node) => !onRing.has(node)));
  const isOuter = (node: number) => Math.hypot(nodes[node]!.x, nodes[node]!.y) > radiusM * 0.5;
  const depots = apart(free.filter(isOuter), nodes, radiusM * 0.45, DEPOTS);
  const customers = free.filter((node) => !depots.includes(node)).slice(0, CUSTOMERS);
  return [
    ...depots.map((node, i) => ({ ...nodes[node]!, node, kind: 'depot' as const, name: `${DEPOT_NAMES[i]} depot` })),
    ...customers.map((node, i) => ({ ...nodes[node]!, node, kind: 'customer' as const, name: `Customer ${i + 1}` })),
  ];
}

/** Chooses `count` nodes that are as far apart as possible. */
function apart(candidates: readonly number[], nodes: readonly Spot[], distanceM: number, count: number): number[] {
  const chosen: number[] = [];
  for (const node of candidates) {
    if (chosen.length === count) break;
    const { x, y } = nodes[node]!;
    if (chosen.every((other) => Math.hypot(nodes[other]!.x - x, nodes[other]!.y - y) >= distanceM)) chosen.push(node);
  }
  return chosen.length < count ? apart(candidates, nodes, distanceM * 0.8, count) : chosen;
}
