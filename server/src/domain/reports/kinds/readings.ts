import { daysIn } from '../../motion/days.ts';
import { readings as storedReadings } from '../../positions/readings.ts';
import { emptyRow, type ReportedDevice, type ReportKind } from '../report-row.ts';

/** Number of readings per query. */
const AT_ONCE = 10_000;
const COLUMNS = ['type', 'value'] as const;

interface Sum {
  readonly day: string;
  readonly type: string;
  count: number;
  total: number;
  min: number;
  max: number;
}

/** Minimum, mean and maximum of each reading type per day, for numbers. */
export const readings: ReportKind = (workplace, { from, to, tz }) => {
  return async (device: ReportedDevice) => {
    const dayAt = daysIn(tz);
    const sums = new Map<string, Sum>();
    const wanted = { scope: { deviceId: device.id }, from, to: to - 1, columns: COLUMNS, limit: AT_ONCE };
    let after: { readonly timestamp: number; readonly id: number } | undefined;
    do {
      const rows = await storedReadings(workplace.query, { ...wanted, ...(after && { after }) });
      for (const { timestamp, type, value: text } of rows) {
        const value: unknown = JSON.parse(text);
        if (typeof value !== 'number') continue;
        const { day } = dayAt(timestamp);
        const sum = sums.get(`${day} ${type}`);
        if (sum === undefined)
          sums.set(`${day} ${type}`, { day, type, count: 1, total: value, min: value, max: value });
        else {
          sum.count += 1;
          sum.total += value;
          sum.min = Math.min(sum.min, value);
          sum.max = Math.max(sum.max, value);
        }
      }
      after = rows.length === AT_ONCE ? rows.at(-1) : undefined;
    } while (after !== undefined);
    return [...sums.values()]
      .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.type < b.type ? -1 : 1))
      .map(({ day, type, count, total, min, max }) => ({
        ...emptyRow(device),
        ...{ day, type, count, min, mean: total / count, max },
      }));
  };
};
