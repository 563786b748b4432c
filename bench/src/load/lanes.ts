import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { percentile } from '../print/statistics.ts';
import { CITY, type Sending, type Sent } from './sending.ts';

/** What each connection sends, and the time after the last fix. */
export interface Lanes {
  readonly lanes: readonly (readonly Buffer[])[];
  readonly endedAt: number;
}

/**
 * Simulates the fleet before anything is sent. A device uses one connection only, so that its reports stay in order.
 * @param written a report of the device with this key, as the bytes that are sent
 */
export function makeLanes(
  { keys, positions, reports, connections, startAt, intervalS, withIgnition }: Sending,
  written: (key: string, report: string, number: number) => Buffer,
): Lanes {
  const profile = { ...calm, intervalsS: [intervalS], packing: positions };
  const { devices } = createFleet({ devices: keys.length, seed: CITY.seed, city: CITY, profile, shift: 'always' });
  const reporters = devices.map((device) => new Reporter(device, startAt));
  const lanes: Buffer[][] = Array.from({ length: connections }, () => []);
  let endedAt = 0;
  for (let report = 0; report < reports; report += 1) {
    const device = report % keys.length;
    const { points, sentAt } = reporters[device]!.next();
    endedAt = Math.max(endedAt, sentAt);
    const lane = keys.length < connections ? report : device;
    lanes[lane % connections]!.push(
      written(keys[device]!, JSON.stringify({ points, ...(withIgnition && { readings: ignitionOf(points) }) }), report),
    );
  }
  return { lanes, endedAt };
}

const ignitionOf = (points: readonly { readonly timestamp: string | number }[]) =>
  points.map(({ timestamp }) => ({ timestamp, type: 'ignition', value: false }));

/** How the reports of all connections went. */
export class Outcome {
  readonly #latencies: number[] = [];
  #failures = 0;
  #lastFailure = '';

  /** An answer, and whether it confirms the report. */
  take(ms: number, answer: string, isConfirmed: boolean): void {
    this.#latencies.push(ms);
    if (isConfirmed) return;
    this.#failures += 1;
    this.#lastFailure = answer.slice(0, 500);
  }

  sum({ positions }: Sending, startedAt: number, endedAt: number): Sent {
    const reports = this.#latencies.length;
    return {
      reports,
      positions: reports * positions,
      seconds: (performance.now() - startedAt) / 1000,
      p50Ms: percentile(this.#latencies, 50),
      p99Ms: percentile(this.#latencies, 99),
      failures: this.#failures,
      lastFailure: this.#lastFailure,
      endedAt,
    };
  }
}
