import { createCity } from '@trackway/simulator/city.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import { ordinary } from '@trackway/simulator/profile.ts';

/** The reports of a fleet: simulated trackers, and a few that also send what has no time of its own. */

/** Their reports are evaluated the same whenever they arrive. */
export const TRACKERS = 6;
/** These also send messages, readings without a time, and items that cannot be true. */
const TALKERS = 2;
export const DEVICES = TRACKERS + TALKERS;
export const CITY = createCity({ seed: 5 });

const DAY_MS = 86_400_000;
const PROFILE = {
  ...ordinary,
  intervalsS: [30, 60],
  sleepAfterMin: 0,
  duplicateShare: 0.02,
  clock: { ...ordinary.clock, minutesShare: 0 },
};

export interface FleetReport {
  /** The index of the device. */
  readonly device: number;
  /** The body, also when it is sent again. */
  readonly body: string;
  /** What must be stored once, as `kind device mark`. */
  readonly items: readonly string[];
}

/** Without end. The same seed gives the same reports, but for their times, which lie in the last weeks. */
export function* reportsOf(seed: number): Generator<FleetReport> {
  const devices = createFleet({ devices: DEVICES, seed, city: CITY, profile: PROFILE });
  let count = 0;
  for (const { device, points, readings } of transmissions(devices, Date.now() - 20 * DAY_MS)) {
    count += 1;
    const timed = [
      ...points.map(({ timestamp }) => `point ${device} ${timestamp}`),
      ...readings.map(({ timestamp, type }) => `reading ${device} ${timestamp} ${type}`),
    ];
    if (device < TRACKERS || count % 3 > 0) {
      yield { device, body: JSON.stringify({ points, readings }), items: timed };
      continue;
    }
    const mark = `mark-${count}`;
    yield {
      device,
      body: JSON.stringify({
        points: [...points, { timestamp: points[0]?.timestamp, location: { lat: 999, lng: 999 }, correlationId: mark }],
        readings: [...readings, { type: 'mark', value: count }],
        messages: [{ message: mark }],
      }),
      items: [...timed, `untimed ${device} ${count}`, `message ${device} ${mark}`, `impossible ${device} ${mark}`],
    };
  }
}
