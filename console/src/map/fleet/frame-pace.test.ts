import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePace } from './frame-pace.ts';

/** How many of the last 60 frames are drawn where a drawn frame takes so long and another one 16 ms. */
function drawnOf60(pace: FramePace, drawnTakesMs: number, warmUp = 600): number {
  let at = 1000;
  let drawn = 0;
  for (let frame = 0; frame < warmUp + 60; frame++) {
    const isDrawn = pace.isTurn(at);
    at += isDrawn ? drawnTakesMs : 16;
    if (frame >= warmUp && isDrawn) drawn++;
  }
  return drawn;
}

test('a machine that keeps up draws every frame', () => {
  assert.equal(drawnOf60(new FramePace(), 16), 60);
});

test('a slow one draws seldom, but does', () => {
  const drawn = drawnOf60(new FramePace(), 60);
  assert.ok(drawn >= 8 && drawn <= 15, `${drawn} of 60`);
});

test('one that recovers goes back to every frame', () => {
  const pace = new FramePace();
  drawnOf60(pace, 60);
  assert.equal(drawnOf60(pace, 16), 60);
});
