import { type Area, areaOf, type Shape, signedDistanceM } from '../../domain/geofences/area.ts';
import type { Span } from '../../domain/motion/activity.ts';
import { leavesStandstill, SILENT_AFTER_MS, type Trip, tripSoFar } from '../../domain/motion/motion.ts';
import { joined, resting } from '../../domain/motion/standstill.ts';
import { advance, noEffects } from '../../domain/tracking/evaluate/advance.ts';
import { INITIAL_STATE } from '../../domain/tracking/evaluate/device-state.ts';
import { type Input, inOrder, type Rules } from '../../domain/tracking/evaluate/inputs.ts';
import { distanceM, interpolate, type Place } from '../../platform/sphere.ts';

/**
 * What a vehicle did, computed from all of its positions in the plainest way: no store, no packed tracks, no index of
 * fences. Reports must say the same.
 */

export interface PlainPoint {
  readonly timestamp: number;
  readonly location: Place;
  readonly speedKmh: number;
  readonly accuracyM: number;
}

export interface PlainReading {
  readonly timestamp: number;
  readonly isOn: boolean;
}

export interface PlainQuestion extends Span {
  readonly now: number;
  /** When the clock decided last. */
  readonly settledAt: number;
  readonly work: readonly Shape[];
  readonly maintenance: readonly Shape[];
  readonly hours?: readonly Span[];
}

interface Piece extends Span {
  readonly state: string;
  readonly isUnderway: boolean;
  readonly ignition: boolean | undefined;
  readonly metres: number;
  readonly work: number;
  readonly maintenance: number;
}

const NO_RULES: Rules = { fencesNear: () => [], fence: () => undefined, triggers: () => [] };

/** What the engine makes of all positions and readings, evaluated one after the other in their order. */
function evaluatedBy(points: readonly PlainPoint[], readings: readonly PlainReading[], settledAt: number) {
  const fixes = points
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .map(({ timestamp, location, speedKmh, accuracyM }, index) => ({
      at: timestamp,
      pointId: index,
      place: location,
      accuracyM,
      speedKmh,
      alerts: 0,
    }));
  const inputs: Input[] = [
    ...fixes.map((fix): Input => ({ kind: 'fix', at: fix.at, fix })),
    ...readings.map(
      ({ timestamp: at, isOn }, id): Input => ({
        kind: 'reading',
        at,
        reading: { at, id, type: 'ignition', value: isOn },
      }),
    ),
  ];
  const effects = noEffects();
  let state = INITIAL_STATE;
  for (const input of inputs.toSorted(inOrder)) state = advance(state, input, NO_RULES, effects).state;
  state = advance(state, { kind: 'clock', at: settledAt }, NO_RULES, effects).state;

  const open = state.motion && tripSoFar(state.motion);
  const trips: Trip[] = [...effects.trips, ...(open ? [open] : [])];
  const implausible = new Set(effects.implausible);
  const good = fixes.filter(({ pointId }) => !implausible.has(pointId));
  return { effects, state, open, trips, good };
}

export function reportByPositions(
  points: readonly PlainPoint[],
  readings: readonly PlainReading[],
  asked: PlainQuestion,
) {
  const { effects, open, trips, good } = evaluatedBy(points, readings, asked.settledAt);
  const to = Math.min(asked.to, asked.now);
  const first = good.find(({ at }) => at >= asked.from && at <= to);
  if (first === undefined) return undefined;
  const covered = { from: first.at, to };
  const goesOn = open !== undefined && open.start < to && to - open.end <= SILENT_AFTER_MS;

  const drives = trips.map((trip) => {
    const own = good.filter(({ at }) => at >= trip.start && at <= trip.end);
    let pause = resting(own[0]!);
    let allM = 0;
    const steps = own.slice(1).map((fix, index) => {
      const before = own[index]!;
      const isMoving = index === 0 || leavesStandstill(pause, fix);
      pause = isMoving ? resting(fix) : joined(pause, fix);
      const metres = distanceM(before.place, fix.place);
      allM += metres;
      return { before, fix, isMoving, metres };
    });
    return { trip, own, steps, scale: allM > 0 ? trip.distanceM / allM : 0 };
  });

  const hours = asked.hours ?? [{ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }];
  const moments = new Set([
    ...[covered.from, covered.to],
    ...drives.flatMap(({ trip, own }) => [trip.start, trip.end, ...own.map(({ at }) => at)]),
    ...effects.ignition.map(({ at }) => at),
    ...hours.flatMap((span) => [span.from, span.to]),
  ]);
  const inside = [...moments].filter((at) => at >= covered.from && at <= covered.to).sort((a, b) => a - b);
  const [work, maintenance] = [asked.work.map(areaOf), asked.maintenance.map(areaOf)] as [Area[], Area[]];
  const pieces = inside.slice(1).map((end, index): Piece => {
    const start = inside[index]!;
    const ignition = effects.ignition.findLast(({ at }) => at <= start)?.isOn;
    const drive = drives.find(({ trip }) => trip.start <= start && end <= trip.end);
    const step = drive?.steps.find(({ before, fix }) => before.at <= start && end <= fix.at);
    const last = drives.findLast(({ trip }) => trip.end <= start);
    const parked = last?.trip.endLocation ?? first.place;
    const shareAt = (at: number) => (at - step!.before.at) / (step!.fix.at - step!.before.at);
    const placeAt = (at: number) => (step ? between(step.before.place, step.fix.place, shareAt(at)) : parked);
    const isUnderway = drive !== undefined || (goesOn && start >= open.end);
    const isMoving = step?.isMoving ?? false;
    const isWorkTime = hours.some((span) => span.from <= start && end <= span.to);
    const ends = [placeAt(start), placeAt(end)];
    const shareOf = (areas: readonly Area[]) => ends.filter((place) => isIn(areas, place)).length / 2;
    return {
      from: start,
      to: end,
      state: stateOf(isMoving, isUnderway, ignition),
      isUnderway,
      ignition,
      metres: step ? step.metres * drive!.scale * (shareAt(end) - shareAt(start)) : 0,
      work: isWorkTime ? shareOf(work) : 0,
      maintenance: shareOf(maintenance),
    };
  });
  const touching = drives.filter(({ trip }) => trip.start < covered.to && trip.end > covered.from);
  const fastest = touching.map(({ trip, own }) =>
    trip.start >= covered.from && trip.end <= covered.to
      ? trip.maxSpeedKmh
      : Math.max(0, ...own.filter(({ at }) => at >= covered.from && at <= covered.to).map(({ speedKmh }) => speedKmh)),
  );
  return { sums: sumsOf(pieces, touching.length, fastest), states: statesOf(pieces), pieces };
}

const between = (from: Place, to: Place, share: number) =>
  share === 0 ? from : share === 1 ? to : interpolate(from, to, share);

const isIn = (areas: readonly Area[], place: Place) => areas.some((area) => signedDistanceM(area, place) <= 0);

function stateOf(isMoving: boolean, isUnderway: boolean, ignition: boolean | undefined): string {
  if (isMoving) return ignition === false ? 'movingWithIgnitionOff' : 'movingWithIgnitionOn';
  return (ignition ?? isUnderway) ? 'idle' : 'off';
}

function sumsOf(pieces: readonly Piece[], count: number, fastest: readonly number[]) {
  const seconds = ({ from, to }: Span) => (to - from) / 1000;
  const sum = (some: readonly Piece[], of: (piece: Piece) => number) =>
    some.reduce((before, piece) => before + of(piece), 0);
  const inZones = (some: readonly Piece[], of: (piece: Piece) => number) => ({
    total: sum(some, of),
    inWork: sum(some, (piece) => of(piece) * piece.work),
    inMaintenance: sum(some, (piece) => of(piece) * piece.maintenance),
  });
  const known = pieces.filter(({ ignition }) => ignition !== undefined);
  const distances = inZones(pieces, ({ metres }) => metres);
  const totalTime = sum(
    pieces.filter(({ isUnderway }) => isUnderway),
    seconds,
  );
  const all = inZones(pieces, seconds);
  return {
    numTrips: count,
    totalDist: distances.total,
    totalTime,
    avgDist: count === 0 ? null : distances.total / count,
    avgTime: count === 0 ? null : totalTime / count,
    maxSpeed: count === 0 ? null : Math.max(...fastest),
    idleTime: inZones(
      pieces.filter(({ state }) => state === 'idle'),
      seconds,
    ),
    distances,
    movingTime: inZones(
      pieces.filter(({ state }) => state.startsWith('moving')),
      seconds,
    ),
    offTimes: inZones(
      pieces.filter(({ state }) => state === 'off'),
      seconds,
    ),
    ignitionTime:
      known.length === 0
        ? null
        : sum(
            known.filter(({ ignition }) => ignition === true),
            seconds,
          ),
    workTime: all.inWork,
    maintenanceTime: all.inMaintenance,
  };
}

/** Each state the vehicle was in, one after the other: when it began and ended, and how far it went. */
function statesOf(pieces: readonly Piece[]) {
  const states: { state: string; start: number; end: number; distance: number }[] = [];
  for (const { state, from, to, metres } of pieces) {
    const last = states.at(-1);
    if (last?.state === state) {
      last.end = to;
      last.distance += metres;
    } else states.push({ state, start: from, end: to, distance: metres });
  }
  return states;
}

/** Stays in shapes: every interval between two moments is looked at by itself. */
export function visitsByPositions(
  points: readonly PlainPoint[],
  { from, to, now, settledAt }: Span & { readonly now: number; readonly settledAt: number },
  shapes: readonly Shape[],
) {
  const { effects, state, trips, good } = evaluatedBy(points, [], settledAt);
  const end = Math.min(to, now);
  const isUnderway = (at: number) => trips.some((trip) => trip.start <= at && at <= trip.end);
  const standstill = state.motion?.underway === undefined ? state.motion?.standstill : undefined;
  const moments = [
    ...good.filter(({ at }) => isUnderway(at)).map(({ at, place }) => ({ at, place, rank: 0 })),
    ...trips.map((trip) => ({ at: trip.end, place: trip.endLocation, rank: 1 })),
    ...effects.stops.map((stop) => ({ at: stop.start, place: stop.location, rank: 2 })),
    ...(standstill ? [{ at: standstill.since, place: standstill.mean, rank: 2 }] : []),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank);
  const first = good.find(({ at }) => at >= from && at <= end);
  if (first && !moments.some(({ at }) => at <= first.at))
    moments.unshift({ at: first.at, place: first.place, rank: 0 });
  const reported = moments.filter(({ at }, index) => at !== moments[index + 1]?.at);
  return shapes.flatMap((shape, index) => {
    const areas = [areaOf(shape)] as Area[];
    const visits: { shape: number; start: number; end: number; entered: boolean; left: boolean }[] = [];
    for (const [at, moment] of reported.entries()) {
      const start = Math.max(moment.at, from);
      const until = Math.min(reported[at + 1]?.at ?? Number.POSITIVE_INFINITY, end);
      if (!isIn(areas, moment.place) || until <= start) continue;
      const wasIn = at > 0 && isIn(areas, reported[at - 1]!.place);
      const last = visits.at(-1);
      if (last?.end === start && wasIn) last.end = until;
      else
        visits.push({ shape: index, start, end: until, entered: at > 0 && !wasIn && moment.at >= from, left: false });
    }
    for (const visit of visits) visit.left = visit.end < end;
    return visits;
  });
}

/** Times above a speed, fix by fix within trips; only in the first of the shapes around a fix, if there are any. */
export function speedingByPositions(
  points: readonly PlainPoint[],
  { from, to, now, settledAt }: Span & { readonly now: number; readonly settledAt: number },
  limitKmh: number,
  shapes?: readonly Shape[],
) {
  const { trips, good } = evaluatedBy(points, [], settledAt);
  const end = Math.min(to, now);
  const areas = shapes?.map((shape) => areaOf(shape) as Area);
  return trips.flatMap((trip) => {
    const own = good.filter(({ at }) => at >= trip.start && at <= trip.end);
    const found: { start: number; end: number; maxSpeed: number; shape?: number }[] = [];
    for (const [index, fix] of own.entries()) {
      const start = Math.max(fix.at, from);
      const until = Math.min(own[index + 1]?.at ?? trip.end, end);
      const isAtEnd = index + 1 === own.length && until === start && start < end;
      if (fix.speedKmh <= limitKmh || (until <= start && !isAtEnd)) continue;
      const shape = areas?.findIndex((area) => isIn([area], fix.place));
      if (shape === -1) continue;
      const last = found.at(-1);
      if (last?.end === start && last.shape === shape) {
        last.end = until;
        last.maxSpeed = Math.max(last.maxSpeed, fix.speedKmh);
      } else found.push({ start, end: until, maxSpeed: fix.speedKmh, ...(shape !== undefined && { shape }) });
    }
    return found;
  });
}
