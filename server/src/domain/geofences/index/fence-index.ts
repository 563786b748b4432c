import { type Place, vectorOf } from '../../../platform/sphere.ts';
import type { Vector } from '../../../platform/vector.ts';
import { type Area, chordOfM } from '../shape/area.ts';

/**
 * Which fences are near a place, among any number of them.
 *
 * The globe hangs in a cube that is cut into eight, each of these again, and so on where fences are dense. A fence
 * belongs to the smallest cube that holds its centre and is no smaller than the fence; a search looks into the cubes
 * that it touches, each widened by its largest fence. Cutting space instead of a map knows no antimeridian and no
 * poles.
 */
export class FenceIndex<Key = number> {
  readonly #root: Cube<Key> = cube(undefined, 0, 0, 0, 1);
  readonly #entries = new Map<Key, Entry<Key>>();

  get size(): number {
    return this.#entries.size;
  }

  /** A fence that was there under the same key is replaced. */
  add(key: Key, area: Area): void {
    this.remove(key);
    const entry: Entry<Key> = { key, area, cube: this.#root };
    this.#entries.set(key, entry);
    insert(this.#root, entry);
  }

  remove(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    takeOut(entry.cube, entry);
    prune(entry.cube);
    return true;
  }

  /**
   * Meets each fence that holds the place or whose edge may lie within the radius, and may be some more that are
   * near, in no particular order. Whom it meets must not change the index.
   */
  near(place: Place, radiusM: number, meet: (key: Key, area: Area) => void): void {
    const { x, y, z } = vectorOf(place);
    search(this.#root, x, y, z, chordOfM(radiusM) + ROUNDING, meet);
  }
}

interface Entry<Key> {
  readonly key: Key;
  readonly area: Area;
  cube: Cube<Key>;
}

/**
 * What a search compares stands in flat arrays of numbers, four for each entry and part: among 100 000 fences the
 * search is as fast as memory is, and an object costs several visits to memory.
 */
interface Cube<Key> {
  readonly parent: Cube<Key> | undefined;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Half an edge, in earth radii. */
  readonly half: number;
  readonly entries: Entry<Key>[];
  /** Of each entry the centre and the chord of its cap. */
  readonly caps: number[];
  /** Up to eight; undefined while it is not cut. */
  parts: Cube<Key>[] | undefined;
  /** Of each part the centre, and how far from there on each axis its fences may reach. */
  readonly reaches: number[];
}

/** Up to this many entries are searched faster than divided further. */
const CROWD = 16;
/** Cubes of 3 m are not cut, however many fences lie upon each other. */
const SMALLEST_HALF = 2 ** -22;
const ROUNDING = 1e-12;

function cube<Key>(parent: Cube<Key> | undefined, x: number, y: number, z: number, half: number): Cube<Key> {
  return { parent, x, y, z, half, entries: [], caps: [], parts: undefined, reaches: [] };
}

function insert<Key>(into: Cube<Key>, entry: Entry<Key>): void {
  const { center, chord } = entry.area;
  let at = into;
  while (at.parts !== undefined && chord <= at.half / 2) at = partFor(at, center, chord);
  entry.cube = at;
  at.entries.push(entry);
  at.caps.push(center.x, center.y, center.z, chord);
  if (at.parts === undefined && at.entries.length > CROWD && at.half > SMALLEST_HALF) cut(at);
}

function cut<Key>(crowded: Cube<Key>): void {
  crowded.parts = [];
  crowded.caps.length = 0;
  for (const entry of crowded.entries.splice(0)) insert(crowded, entry);
}

/** The part that holds the centre, made where it is missing, widened to the chord. */
function partFor<Key>(whole: Cube<Key>, center: Vector, chord: number): Cube<Key> {
  const half = whole.half / 2;
  const x = whole.x + (center.x < whole.x ? -half : half);
  const y = whole.y + (center.y < whole.y ? -half : half);
  const z = whole.z + (center.z < whole.z ? -half : half);
  const { reaches } = whole;
  const parts = whole.parts!;
  let part = parts.findIndex((there) => there.x === x && there.y === y && there.z === z);
  if (part < 0) {
    part = parts.push(cube(whole, x, y, z, half)) - 1;
    reaches.push(x, y, z, half);
  }
  reaches[4 * part + 3] = Math.max(reaches[4 * part + 3]!, half + chord);
  return parts[part]!;
}

function takeOut<Key>(from: Cube<Key>, entry: Entry<Key>): void {
  const at = from.entries.indexOf(entry);
  dropFour(from.caps, at);
  from.entries[at] = from.entries.at(-1)!;
  from.entries.pop();
}

/** What holds nothing any more goes, and what was cut for nothing grows together. */
function prune<Key>(emptied: Cube<Key>): void {
  for (let at = emptied; at.entries.length === 0 && at.parts === undefined && at.parent !== undefined; at = at.parent) {
    const { parts, reaches } = at.parent as { parts: Cube<Key>[]; reaches: number[] };
    const index = parts.indexOf(at);
    dropFour(reaches, index);
    parts[index] = parts.at(-1)!;
    parts.pop();
    if (parts.length === 0) at.parent.parts = undefined;
  }
}

/** The last four numbers take the place of those of the index. */
function dropFour(numbers: number[], index: number): void {
  numbers.copyWithin(4 * index, numbers.length - 4);
  numbers.length -= 4;
}

function search<Key>(
  at: Cube<Key>,
  x: number,
  y: number,
  z: number,
  chord: number,
  meet: (key: Key, area: Area) => void,
): void {
  const { caps, reaches, parts } = at;
  for (let i = 0; i < caps.length; i += 4) {
    const dx = caps[i]! - x;
    const dy = caps[i + 1]! - y;
    const dz = caps[i + 2]! - z;
    const reach = caps[i + 3]! + chord;
    if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
    const { key, area } = at.entries[i / 4]!;
    meet(key, area);
  }
  if (parts === undefined) return;
  for (let i = 0; i < reaches.length; i += 4) {
    const reach = reaches[i + 3]! + chord;
    if (Math.abs(reaches[i]! - x) > reach) continue;
    if (Math.abs(reaches[i + 1]! - y) > reach) continue;
    if (Math.abs(reaches[i + 2]! - z) > reach) continue;
    search(parts[i / 4]!, x, y, z, chord, meet);
  }
}
