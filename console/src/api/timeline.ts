import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { TIMELINES, type TimelineType } from '@trackway/contract/resources/timeline.ts';
import { call, type ReadOptions, useRead } from './calls.ts';

export type TimelineEntry = AnswerOf<'getTimeline'>['data'][number];
export type Activity = AnswerOf<'vehicleActivity'>;
export { TIMELINES, type TimelineType };

/** A time range, both ends inclusive, as ISO texts. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The entries of several timelines of a device in a time range. */
export const useTimelines = (
  id: number,
  types: readonly TimelineType[],
  { from, to }: Span,
  options: Pick<ReadOptions, 'enabled' | 'refetchInterval'> = {},
) =>
  useQuery<TimelineEntry[], Error>({
    queryKey: ['getTimeline', { id, types, from, to }],
    queryFn: async ({ signal }) => {
      const entries: TimelineEntry[] = [];
      // One after the other, because the server reads only a few at a time for each user.
      for (const type of types) entries.push(...(await wholeTimeline(id, type, { from, to }, signal)));
      return entries;
    },
    ...options,
  });

/** The start of a range is exclusive. A truncated result is continued from its end. */
async function wholeTimeline(id: number, type: TimelineType, { from, to }: Span, signal: AbortSignal) {
  const entries: TimelineEntry[] = [];
  let since = new Date(Date.parse(from) - 1).toISOString();
  for (;;) {
    const answer = await call('getTimeline')({ id, type, since, until: to }, { signal });
    entries.push(...answer.data);
    if (answer.until >= to || answer.data.length === 0) return entries;
    since = answer.until;
  }
}

/** The states of a vehicle, in order. */
export const useActivity = (deviceId: number, { from, to }: Span, options?: ReadOptions) =>
  useRead('vehicleActivity', { body: { deviceId, dateRange: [Date.parse(from), Date.parse(to)] } }, options);
