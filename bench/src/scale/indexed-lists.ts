import { maximum, median } from '../print/statistics.ts';
import { number } from '../print/table.ts';
import type { Api } from '../trackway.ts';
import type { Finding } from './finding.ts';
import { DEVICE_ID, NEWEST_AT, RARE_TYPE, SENSED_DEVICES, TYPES } from './readings-database.ts';

const ASKED = 21;
const RETURNED = 100;
const BAR_MS = 20;
const DAY_MS = 86_400_000;

type Where = (i: number) => object;

/** Every request differs, so that no answer comes from a cache. */
const byType: Where = (i) => ({ type: TYPES[i % TYPES.length] });
const byDevice: Where = (i) => ({ deviceId: 2 + ((i * 37) % SENSED_DEVICES) });
const within = (days: number): Where => {
  return (i) => {
    const end = NEWEST_AT - (i % 9) * DAY_MS;
    const between = [new Date(end - days * DAY_MS), new Date(end)];
    return { timestamp: { between } };
  };
};
const both = (one: Where, other: Where): Where => {
  return (i) => ({ ...one(i), ...other(i) });
};

const CONDITIONS: Record<string, Where> = {
  'timestamp, a day': within(1),
  'timestamp, 30 days': within(30),
  'timestamp, 60 days': within(60),
  type: byType,
  'a rare type': () => ({ type: RARE_TYPE }),
  deviceId: byDevice,
  'type and timestamp': both(byType, within(30)),
  'deviceId and timestamp': both(byDevice, within(60)),
};
const ORDERS = { 'by id': undefined, 'by id backwards': 'id DESC', 'newest first': 'timestamp DESC' };

/** Lists that an index serves, out of all readings. */
export async function indexedLists(api: Api): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [condition, where] of Object.entries(CONDITIONS)) {
    for (const [order, by] of Object.entries(ORDERS)) {
      const times: number[] = [];
      for (let i = 0; i <= ASKED; i += 1) {
        const time = await askOnce(api, { where: where(i), order: by, limit: RETURNED });
        if (i > 0) times.push(time);
      }
      findings.push({
        what: `${RETURNED} by ${condition}, ${order}`,
        median: `${number(median(times), 1)} ms`,
        worst: `${number(maximum(times), 1)} ms`,
        bar: `< ${BAR_MS} ms`,
        isMet: median(times) < BAR_MS,
      });
    }
  }
  return findings;
}

async function askOnce(api: Api, filter: object): Promise<number> {
  const path = `/devices/${DEVICE_ID}/gatewayReadings?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  const startedAt = performance.now();
  const rows = (await api.get(path)) as unknown as unknown[];
  const time = performance.now() - startedAt;
  if (rows.length !== RETURNED) throw new Error(`${rows.length} rows for ${JSON.stringify(filter)}`);
  return time;
}
