import type { Report } from '../../../../reports.ts';
import { normalizePoint, normalizeReading } from './normalize.ts';
import { type NormalItems, weightOf } from './normalized-report.ts';

/** So many items are normalized before this thread lets other work run: about a millisecond. */
const STEP_ITEMS = 250;

/** Whether it takes more than one step. */
export const isLarge = (report: Report) => weightOf(report) > STEP_ITEMS;

/** Normalizes the items of a large report step by step. */
export async function normalItems({ points, readings, gatewayReadings }: Report, now: number): Promise<NormalItems> {
  return {
    points: await inSteps(points, (point) => normalizePoint(point, now)),
    readings: await inSteps(readings, (reading) => normalizeReading(reading, now)),
    gatewayReadings: await inSteps(gatewayReadings, (reading) => normalizeReading(reading, now)),
  };
}

async function inSteps<In, Out>(items: readonly In[], normal: (item: In) => Out): Promise<Out[]> {
  const done: Out[] = [];
  for (const item of items) {
    if (done.length % STEP_ITEMS === STEP_ITEMS - 1) await new Promise((resolve) => setImmediate(resolve));
    done.push(normal(item));
  }
  return done;
}
