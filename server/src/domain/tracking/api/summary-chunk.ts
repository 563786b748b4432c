import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import type { TextChunk } from '../../chunked-text.ts';
import { deviceTexts, type WantedDevices } from '../../devices/shown-devices.ts';
import { activeSubscriptions } from '../../plans/shown-plans.ts';
import type { Tables } from '../../schema/tables.ts';
import { newestPoints, type WantedPoints } from './newest-points.ts';

/** The devices and positions to summarise, and the progress. */
interface FleetSummary extends Pick<WantedDevices, 'scope' | 'reader' | 'now'> {
  readonly points: WantedPoints;
  /** The last device that is written already. */
  readonly after?: number;
}

/** A chunk has about so many positions, and at most so many devices; the first is small, so that it is there soon. */
const POINTS = 2000;
const MOST_DEVICES = 500;
const FIRST_DEVICES = 50;

/** Reads and writes the next devices of a summary. */
export const summaryChunk = defineReadWork(
  import.meta.url,
  async (
    workplace: Workplace<Tables>,
    { scope, reader, now, points, after }: FleetSummary,
  ): Promise<TextChunk<number>> => {
    const most = Math.min(MOST_DEVICES, Math.ceil(POINTS / Math.max(points.count, 1)));
    const limit = after === undefined ? Math.min(FIRST_DEVICES, most) : most;
    const devices = await deviceTexts(workplace, { scope, reader, now, after: after ?? 0, limit });
    const ids = devices.map(({ id }) => id);
    const latest = await newestPoints(workplace, ids, points);
    const subscriptions = await activeSubscriptions(workplace, ids, now);
    let text = after === undefined ? '[' : '';
    let separator = after === undefined ? '' : ',';
    for (const { id, openText, openConfig } of devices) {
      const subscription = subscriptions.get(id);
      text += `${separator}${openText},"latestPoints":${latest.get(id) ?? '[]'},"config":${openConfig}},"subscription":${
        subscription === undefined ? 'null' : JSON.stringify(subscription)
      }}`;
      separator = ',';
    }
    const isLast = devices.length < limit;
    return { text: isLast ? `${text}]` : text, ...(!isLast && { after: ids.at(-1) }) };
  },
);
