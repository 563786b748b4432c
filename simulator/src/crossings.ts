import type { Actor } from './actor.ts';
import { LEG, whenOnLeg } from './drive.ts';
import { type Fence, type Shape, shapeOf } from './fence-shape.ts';
import { placeOf, type Spot } from './ground.ts';
import type { Leg } from './itinerary.ts';
import { firstSpot, lastSpot, truthAt } from './truth.ts';
import { legsBetween } from './whereabouts.ts';

export interface Crossing {
  readonly kind: 'entry' | 'exit';
  /** Epoch ms, with fractions. */
  readonly at: number;
}

/** When an actor entered and left a fence according to its ground truth. Calculated to millimetres, not sampled. */
export function trueCrossings(actor: Actor, fence: Fence, from: number, to: number): Crossing[] {
  if (actor.kind === 'parked') return [];
  const shape = shapeOf(fence);
  const found: Crossing[] = [];
  let wasInside = shape.isInside(truthAt(actor, from).location);
  for (const leg of legsBetween(actor, from, to)) {
    for (const piece of piecesOf(leg)) {
      for (const { share, isInside } of partsOf(actor, shape, piece)) {
        const at = piece.when(share);
        // Crossings before the range do not count, and the state at its start is already known.
        if (at < from || isInside === wasInside) continue;
        if (at >= to) return found;
        found.push({ kind: isInside ? 'entry' : 'exit', at });
        wasInside = isInside;
      }
    }
  }
  return found;
}

/** A straight part of a route. */
interface Piece {
  readonly start: Spot;
  readonly end: Spot;
  /** The time at which this share of the piece has been travelled, epoch ms. */
  when(share: number): number;
}

function* piecesOf(leg: Leg): Generator<Piece> {
  const { drive, tempo, from, until, streetFrom, streetUntil } = leg;
  const steadily = (begin: number, end: number) => (share: number) => begin + (end - begin) * share;
  yield { start: leg.start, end: firstSpot(leg), when: steadily(from, streetFrom) };
  for (let i = 0; i < drive.streets.length; i++) {
    const [x, y, dx, dy, lengthM] = drive.legs.subarray(i * LEG, (i + 1) * LEG) as unknown as Five;
    yield {
      start: { x, y },
      end: { x: x + dx * lengthM, y: y + dy * lengthM },
      when: (share) => streetFrom + (1000 * whenOnLeg(drive, i, share * lengthM)) / tempo,
    };
  }
  yield { start: lastSpot(leg), end: leg.end, when: steadily(streetUntil, until) };
}

type Five = readonly [number, number, number, number, number];

/** The parts of a piece between its intersections with the fence: where each starts, and whether it is inside. */
function* partsOf(actor: Actor, shape: Shape, { start, end }: Piece): Generator<{ share: number; isInside: boolean }> {
  const { ground } = actor.city;
  const bounds = [0, ...shape.cuts(placeOf(ground, start), placeOf(ground, end)), 1];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const share = bounds[i]!;
    const next = bounds[i + 1]!;
    if (next - share < 1e-12) continue;
    const middle = (share + next) / 2;
    const spot = { x: start.x + (end.x - start.x) * middle, y: start.y + (end.y - start.y) * middle };
    yield { share, isInside: shape.isInside(placeOf(ground, spot)) };
  }
}
