import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenceNear, fencesAt } from './fence-at.ts';

const circle = (id: number, name: string, lat: number, lng: number, radius: number) => ({
  ...{ id, name, outline: null, center: { lat, lng }, radius },
});
const corner = (lat: number, lng: number) => ({ lat, lng });

test('the smallest fence is named first, and only those around the place', () => {
  const fences = [
    circle(1, 'Harbour', 50, 8, 5000),
    circle(2, 'Dock 4', 50, 8, 100),
    circle(3, 'Elsewhere', 51, 8, 100),
    {
      id: 4,
      name: 'Yard',
      outline: [corner(49.99, 7.99), corner(49.99, 8.01), corner(50.01, 8)],
      center: null,
      radius: null,
    },
  ];
  assert.deepEqual(fencesAt({ lat: 50, lng: 8 }, fences), ['Dock 4', 'Yard', 'Harbour']);
  assert.deepEqual(fencesAt({ lat: 40, lng: 8 }, fences), []);
});

test('a fence over the antimeridian holds what is on either side', () => {
  const ring = [corner(-1, 179), corner(-1, -179), corner(1, -179), corner(1, 179)];
  const fiji = [{ id: 1, name: 'Strait', outline: ring, center: null, radius: null }];
  assert.deepEqual(fencesAt({ lat: 0, lng: 179.5 }, fiji), ['Strait']);
  assert.deepEqual(fencesAt({ lat: 0, lng: -179.5 }, fiji), ['Strait']);
  assert.deepEqual(fencesAt({ lat: 0, lng: 178 }, fiji), []);
});

test('the fence near a place is the smallest around it, or else the nearest', () => {
  const fences = [circle(1, 'Town', 50, 8, 9000), circle(2, 'Home', 50, 8, 100), circle(3, 'School', 51, 8, 100)];
  assert.deepEqual(fenceNear({ lat: 50, lng: 8 }, fences), { fence: fences[1], awayM: 0 });
  const { fence, awayM } = fenceNear({ lat: 51.01, lng: 8 }, fences)!;
  assert.equal(fence.name, 'School');
  assert.ok(awayM > 1000 && awayM < 1030, `${awayM} m`);
  assert.equal(fenceNear({ lat: 50, lng: 8 }, []), undefined);
});
