import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { CITY, type Sending } from './sending.ts';

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
