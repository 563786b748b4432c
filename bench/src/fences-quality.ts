import { edgeDistance, fenceRules, TrackEvaluator } from '@trackway/server/testing/track-evaluator.ts';
import type { Actor } from '@trackway/simulator/actor.ts';
import { trueCrossings } from '@trackway/simulator/crossings.ts';
import type { SimulatedDevice } from '@trackway/simulator/device.ts';
import { type Fence, shapeOf } from '@trackway/simulator/fence-shape.ts';
import { cityFences, edgeFence } from '@trackway/simulator/fences.ts';
import { createFleet } from '@trackway/simulator/fleet.ts';
import { nasty, ordinary, type Profile } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { truthAt } from '@trackway/simulator/truth.ts';
import { fixesBetween, matched, type Said } from './fleet/crossing-match.ts';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { CITY } from './load/sending.ts';
import { percentile } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';

/**
 * False entries and exits on noisy tracks whose truth is known: our rule against the rule of other trackers, which
 * takes each position as exact. Both evaluate the same positions.
 */

const DAY_MS = 86_400_000;
const DAYS = 4;
const DEVICES = 100;
const PROFILES: Record<string, Profile> = {
  ordinary: { ...ordinary, clock: { ...ordinary.clock, minutesShare: 0 } },
  nasty: { ...nasty, clock: { minutesShare: 0, mostMin: 0, yearsShare: 0 }, timestamps: 'epoch' },
};
/** Distances of parked devices from the edge of their own fence in metres, negative outside. */
const EDGE_M = [-15, -8, -3, 0, 3, 8, 15];

interface Rule {
  readonly name: string;
  falses: number;
  events: number;
  /** The false ones that were interpolated between fixes. */
  interpolatedFalses: number;
  interpolated: number;
  found: number;
  /** For each crossing found: the number of fixes between the first one beyond the edge and the decision. */
  readonly delays: number[];
}

const ruleCalled = (name: string): Rule => ({
  name,
  falses: 0,
  events: 0,
  interpolatedFalses: 0,
  interpolated: 0,
  found: 0,
  delays: [],
});

export async function benchFencesQuality(): Promise<void> {
  for (const [name, profile] of Object.entries(PROFILES)) evaluateFleet(name, profile);
}

function evaluateFleet(profileName: string, profile: Profile): void {
  const from = Date.UTC(2026, 4, 4);
  const shared = [...cityFences(CITY, 14), ...scatteredFences(30, 5500, 9)];
  const { devices } = createFleet({ devices: DEVICES, seed: 11, city: CITY, profile });
  const [ours, plain] = [ruleCalled('Trackway'), ruleCalled('plain rule')];
  let sought = 0;
  let all = 0;
  for (const device of devices) {
    const fences = device.actor.kind === 'parked' ? [...shared, edgeOf(device)] : shared;
    const points = pointsOf(device, from, from + DAYS * DAY_MS);
    const times = points.map(({ timestamp }) => timestamp);
    const said = ourEvents(fences, points);
    for (const [index, fence] of fences.entries()) {
      const truth = truthOf(device.actor, fence, times);
      sought += truth.filter(({ isClear }) => isClear).length;
      all += truth.length;
      score(ours, truth, said[index]!, times);
      score(plain, truth, plainEvents(fence, points), times);
    }
  }
  const deviceDays = DEVICES * DAYS;
  const per1000 = (count: number) => number((count * 1000) / deviceDays, 1);
  const row = (rule: Rule): Cells => [
    rule.name,
    number(rule.events),
    per1000(rule.falses - rule.interpolatedFalses),
    per1000(rule.interpolatedFalses),
    rule.interpolated === 0 ? '–' : number(1 - rule.interpolatedFalses / rule.interpolated, 2),
    number(rule.found / sought, 4),
    number(percentile(rule.delays, 50)),
    number(percentile(rule.delays, 99)),
  ];
  printTable(
    `Fences on noisy tracks, profile ${profileName}: ${number(deviceDays)} device-days, ${number(all)} true crossings, ${number(sought)} of them to be seen; false ones per 1 000 device-days`,
    ['rule', 'events', 'false by a fix', 'false between fixes', 'right between fixes', 'found', 'delay p50', 'p99'],
    [row(plain), row(ours)],
  );
  const bySight = plain.falses / Math.max(1, ours.falses - ours.interpolatedFalses);
  const inAll = plain.falses / Math.max(1, ours.falses);
  const share = ours.found / sought;
  const later = percentile(ours.delays, 99) - percentile(plain.delays, 99);
  console.log(`false, plain ÷ ours: ${number(inAll, 1)} in all (≥ 20: ${verdict(inAll >= 20)})`);
  console.log(`  without those between fixes, which the plain rule never detects: ${number(bySight, 1)}`);
  console.log(`true crossings found: ${number(share, 4)} (≥ 0.99: ${verdict(share >= 0.99)})`);
  console.log(`fixes more delay at p99: ${number(later)} (≤ 1: ${verdict(later <= 1)})`);
}

const edgeOf = ({ actor, index }: SimulatedDevice): Fence =>
  edgeFence(CITY, truthAt(actor, 0).location, EDGE_M[index % EDGE_M.length]!, 120, index * 37);

interface Point {
  readonly timestamp: number;
  readonly location: { readonly lat: number; readonly lng: number };
  readonly speedKmh?: number;
  readonly accuracyM?: number;
  readonly courseDeg?: number;
  readonly locationType: 'gps' | 'wifi' | 'gsm';
}

/** All positions of a device by time, each once: late and duplicate data belong to another bench. */
function pointsOf(device: SimulatedDevice, from: number, to: number): Point[] {
  const reporter = new Reporter(device, from);
  const byTime = new Map<number, Point>();
  for (let sent = reporter.next(); sent.sentAt < to; sent = reporter.next()) {
    for (const { timestamp, location, speed, accuracy, course, locationType } of sent.points) {
      if (location === undefined || locationType === 'invalid') continue;
      const at = timestamp as number;
      const said = { speedKmh: speed, accuracyM: accuracy, courseDeg: course };
      byTime.set(at, { timestamp: at, location, ...said, locationType });
    }
  }
  return [...byTime.values()].sort((a, b) => a.timestamp - b.timestamp);
}

function ourEvents(fences: readonly Fence[], points: readonly Point[]): Said[][] {
  const said: Said[][] = fences.map(() => []);
  const evaluator = new TrackEvaluator(fenceRules(fences));
  for (const point of points) {
    for (const { fence, kind, at, decidedAt, interpolated } of evaluator.take(point))
      said[fence]!.push({ kind, at, knownAt: decidedAt, isInterpolated: interpolated });
  }
  return said;
}

function plainEvents(fence: Fence, points: readonly Point[]): Said[] {
  const shape = shapeOf(fence);
  const said: Said[] = [];
  let wasInside: boolean | undefined;
  for (const { timestamp: at, location } of points) {
    const isInside = shape.isInside(location);
    if (wasInside !== undefined && isInside !== wasInside)
      said.push({ kind: isInside ? 'entry' : 'exit', at, knownAt: at });
    wasInside = isInside;
  }
  return said;
}

export interface TrueCrossing {
  readonly kind: 'entry' | 'exit';
  readonly at: number;
  /** Whether a rule can be expected to find it: a fix was taken well beyond the edge before and after it. */
  readonly isClear: boolean;
}

/** A fix this far from the edge shows the side of the device, even with the noise of an ordinary receiver. */
const CLEAR_M = 25;

/**
 * The crossings that happened while the device reported. A stay of seconds between two fixes, or along the edge, cannot
 * be seen; a rule that reports it nevertheless is not wrong.
 */
function truthOf(actor: Actor, fence: Fence, times: readonly number[]): TrueCrossing[] {
  if (times.length === 0) return [];
  const crossings = trueCrossings(actor, fence, times[0]!, times.at(-1)!);
  if (crossings.length === 0) return [];
  const distance = edgeDistance(fence);
  const bounds = [times[0]!, ...crossings.map(({ at }) => at), times.at(-1)!];
  let next = 0;
  const isClear = bounds.slice(1).map((until) => {
    let clear = false;
    for (; next < times.length && times[next]! <= until; next += 1)
      clear ||= Math.abs(distance(truthAt(actor, times[next]!).location)) >= CLEAR_M;
    return clear;
  });
  return crossings.map(({ kind, at }, index) => ({ kind, at, isClear: isClear[index]! && isClear[index + 1]! }));
}

function score(rule: Rule, truth: readonly TrueCrossing[], said: readonly Said[], times: readonly number[]): void {
  const pairs = matched(truth, said, times);
  rule.events += said.length;
  const received = new Set(pairs.values());
  for (const [event, { isInterpolated }] of said.entries()) {
    if (isInterpolated) rule.interpolated += 1;
    if (received.has(event)) continue;
    rule.falses += 1;
    if (isInterpolated) rule.interpolatedFalses += 1;
  }
  for (const [crossing, event] of pairs) {
    if (!truth[crossing]!.isClear) continue;
    rule.found += 1;
    const { at } = truth[crossing]!;
    rule.delays.push(fixesBetween(times, at, said[event]!.knownAt) - 1);
  }
}
