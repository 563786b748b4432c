import { effectsIn, isEvaluated, letClockDecide, type RecordedEffects } from '../../../server/src/testing/effects.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { type Account, countOf } from './account.ts';
import { type FleetReport, TRACKERS } from './reports.ts';
import { serve } from './serve.ts';
import { setUpFleet } from './set-up.ts';

/** What the same reports lead to on a server that nothing happens to. */

const DAY_MS = 86_400_000;

/** The effects of the trackers' reports, once everything is evaluated and no server runs. */
export async function effectsAt(place: string): Promise<RecordedEffects> {
  return lookInto(place, async (store) => {
    // Due times wait a while for devices that may still be sending: these are not.
    await letClockDecide(store, Date.now() + DAY_MS);
    return effectsIn(store);
  });
}

export const evaluated = (place: string) => eventually('everything is evaluated', () => lookInto(place, isEvaluated));

export async function quietEffects(
  storeKind: 'sqlite' | 'postgres',
  place: string,
  said: readonly FleetReport[],
): Promise<RecordedEffects> {
  const keys = await setUpFleet(storeKind, place);
  const server = await serve(storeKind, place);
  for (const [device, key] of keys.entries()) {
    if (device >= TRACKERS) continue;
    for (const items of inOrder(said.filter((report) => report.device === device)))
      await fetch(`${server.address}/ingest/reports`, {
        method: 'POST',
        headers: { authorization: key, 'content-type': 'application/json' },
        body: JSON.stringify(items),
      });
  }
  await evaluated(place);
  await server.stop();
  return effectsAt(place);
}

interface Items {
  points: { timestamp: number }[];
  readings: { timestamp: number }[];
}

/** The items of a device in the order of their times, in few reports. */
function inOrder(reports: readonly FleetReport[]): Items[] {
  const bodies = reports.map(({ body }) => JSON.parse(body) as Items);
  const byTime = (a: { timestamp: number }, b: { timestamp: number }) => a.timestamp - b.timestamp;
  const all = [
    ...bodies.flatMap(({ points }) => points.map((point) => ({ ...point, list: 'points' as const }))),
    ...bodies.flatMap(({ readings }) => readings.map((reading) => ({ ...reading, list: 'readings' as const }))),
  ].sort(byTime);
  return Array.from({ length: Math.ceil(all.length / 400) }, (_, n) => {
    const some = all.slice(n * 400, (n + 1) * 400);
    const of = (list: keyof Items) => some.filter((item) => item.list === list).map(({ list: _list, ...item }) => item);
    return { points: of('points'), readings: of('readings') };
  });
}

/** Events, trips and states that are missing or too many. */
export function differences(found: RecordedEffects, expected: RecordedEffects): Account {
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const kind of Object.keys(expected) as (keyof RecordedEffects)[]) {
    const [here, there] = [countOf(found[kind].filter(isTracker)), countOf(expected[kind].filter(isTracker))];
    for (const [line, count] of there) if ((here.get(line) ?? 0) < count) lost.push(`${kind} ${line}`);
    for (const [line, count] of here) if ((there.get(line) ?? 0) < count) doubled.push(`${kind} ${line}`);
  }
  return { lost, doubled };
}

const isTracker = (line: string) => JSON.parse(line).deviceId <= TRACKERS;
