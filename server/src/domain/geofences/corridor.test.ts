import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corridorIn, corridorOutline } from '@trackway/contract/corridor.ts';
import { along, arcOf, distanceM, EARTH_RADIUS_M, type Place, placeOf, vectorOf } from '../../platform/sphere.ts';
import { isInside, polygonOf } from './area.ts';

/** Numbers that look random and are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const moved = ({ lat, lng }: Place, east: number, north: number): Place => {
  const to = lat + (north / EARTH_RADIUS_M) * (180 / Math.PI);
  return { lat: to, lng: lng + (east / (EARTH_RADIUS_M * Math.cos((to * Math.PI) / 180))) * (180 / Math.PI) };
};

/** Along the great circles of the route, by sampling: exact to a thousandth of the width. */
function awayFrom(path: readonly Place[], widthM: number): (place: Place) => number {
  const samples: Place[] = [];
  for (let index = 1; index < path.length; index++) {
    const arc = arcOf(vectorOf(path[index - 1]!), vectorOf(path[index]!));
    const count = Math.ceil((arc.angle * EARTH_RADIUS_M) / (widthM * 0.03)) + 1;
    for (let step = 0; step <= count; step++) samples.push(placeOf(along(arc, step / count)));
  }
  return (place) => Math.min(...samples.map((sample) => distanceM(sample, place)));
}

function check(path: readonly Place[], widthM: number, random: () => number, tries = 300): void {
  const made = corridorOutline({ path, widthM });
  assert.ok('outline' in made, JSON.stringify(made));
  const polygon = polygonOf(made.outline.map(vectorOf))!;
  const away = awayFrom(path, widthM);
  for (let round = 0; round < tries; round++) {
    const index = 1 + Math.floor(random() * (path.length - 1));
    const arc = arcOf(vectorOf(path[index - 1]!), vectorOf(path[index]!));
    // Around the turns as often as along the way.
    const on = placeOf(along(arc, round % 2 === 0 ? random() : Math.round(random())));
    const [angle, far] = [random() * 2 * Math.PI, widthM * (0.7 + random() * 0.6)];
    const place = moved(on, far * Math.cos(angle), far * Math.sin(angle));
    const distance = away(place);
    const said = isInside(polygon, vectorOf(place));
    const about = `${distance / widthM} widths away, at ${JSON.stringify(place)} of ${JSON.stringify({ path, widthM })}`;
    if (distance <= widthM * 0.999) assert.equal(said, true, about);
    if (distance > widthM * 1.05) assert.equal(said, false, about);
  }
}

test('what is within the width of a route is inside, what is farther is not, at turns too', () => {
  const random = numbers(7);
  for (let round = 0; round < 25; round++) {
    const widthM = 10 * 10 ** (random() * 2.5);
    const start = { lat: (random() - 0.5) * 150, lng: (random() - 0.5) * 330 };
    const path = [start];
    const count = 1 + Math.floor(random() * 9);
    for (let index = 0; index < count; index++) {
      const [angle, length] = [random() * 2 * Math.PI, widthM * (0.3 + random() * 12)];
      path.push(moved(path.at(-1)!, length * Math.cos(angle), length * Math.sin(angle)));
    }
    check(path, widthM, random);
  }
});

test('a route that comes back to where it was leaves out what it goes around', () => {
  const random = numbers(3);
  const start = { lat: 52.5, lng: 13.4 };
  const block = [start, moved(start, 2000, 0), moved(start, 2000, 2000), moved(start, 0, 2000), start];
  check(block, 100, random, 600);
  const made = corridorOutline({ path: block, widthM: 100 }) as { outline: Place[] };
  const polygon = polygonOf(made.outline.map(vectorOf))!;
  assert.equal(isInside(polygon, vectorOf(moved(start, 1000, 1000))), false);
  // There and back on the same way, and a figure of eight.
  check([start, moved(start, 3000, 500), start], 50, random);
  check(
    [start, moved(start, 1500, 1500), moved(start, 1500, 0), moved(start, 0, 1500), moved(start, 0, -800)],
    80,
    random,
    600,
  );
});

test('a long straight way stays exact, though it is straight on the globe and not on the map', () => {
  const random = numbers(11);
  check(
    [
      { lat: 60, lng: 10 },
      { lat: 60, lng: 13 },
    ],
    200,
    random,
    200,
  );
});

test('what cannot be a corridor is refused with what is wrong', () => {
  const place = (lat: number, lng: number) => ({ lat, lng });
  const problem = (path: Place[], widthM = 50) => (corridorOutline({ path, widthM }) as { problem?: string }).problem;
  assert.equal(problem([place(1, 1)]), 'few');
  assert.equal(problem([place(1, 1), place(1, 1)]), 'few');
  assert.equal(problem([place(1, 1), place(1, 1.001)], 1), 'width');
  assert.equal(problem([place(1, 1), place(1, 1.001)], Number.NaN), 'width');
  assert.equal(problem([place(1, 179.9), place(1, -179.9)]), 'antimeridian');
  assert.equal(problem([place(1, 179.99999), place(1, 179.9)]), 'antimeridian');
  assert.equal(problem([place(84.9999, 1), place(84, 1)]), 'poles');
  assert.equal(problem([place(0, 0), place(0, 100)], 50), 'long');
  assert.equal(problem(Array.from({ length: 1001 }, (_, index) => place(0, index / 1000))), 'many');
  const zigzag = Array.from({ length: 999 }, (_, index) => place((index % 2) * 0.00035, index * 0.00035));
  assert.equal(problem(zigzag, 20), 'complex');
});

test('what a geofence says of its corridor is read with care', () => {
  const path = [
    { lat: 1, lng: 1 },
    { lat: 1, lng: 2 },
  ];
  assert.deepEqual(corridorIn({ corridor: { path, widthM: 50 } }), { path, widthM: 50 });
  for (const meta of [
    null,
    {},
    { corridor: 5 },
    { corridor: { path, widthM: '50' } },
    { corridor: { path: [1], widthM: 5 } },
  ])
    assert.equal(corridorIn(meta), undefined);
});
