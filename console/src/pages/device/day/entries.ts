import type { Stop, Trip } from '../../../api/devices.ts';
import type { Span } from '../../../map/track/playback.ts';
import type { Track, TrackChoice } from '../../../map/track/track.ts';

/** A trip or a stop in the list of the day. */
export type Entry = Span & {
  readonly id: number;
  readonly number: number;
  /** The actual start, which may be on an earlier day. */
  readonly began: number;
} & ({ readonly kind: 'trip'; readonly trip: Trip } | { readonly kind: 'stop'; readonly stop: Stop });

/**
 * Trips and stops in order of time, numbered separately. A stop is limited to this day; a trip stays whole, because its
 * distance cannot be divided.
 */
export function entriesOf(trips: readonly Trip[], stops: readonly Stop[], day: Span): Entry[] {
  const whole = ({ start, end }: { start: string; end: string }) => ({
    from: Date.parse(start),
    to: Date.parse(end),
    began: Date.parse(start),
  });
  const onDay = (one: { start: string; end: string }) => {
    const { from, to, began } = whole(one);
    return { from: Math.max(from, day.from), to: Math.min(to, day.to), began };
  };
  return [
    ...trips.map((trip, index) => ({ kind: 'trip' as const, id: trip.id, number: index + 1, trip, ...whole(trip) })),
    ...stops.map((stop, index) => ({ kind: 'stop' as const, id: stop.id, number: index + 1, stop, ...onDay(stop) })),
  ].sort((one, other) => one.from - other.from);
}

export const tripsIn = (entries: readonly Entry[]) =>
  entries.filter((entry) => entry.kind === 'trip').map(({ id, from, to }) => ({ id, from, to }));

export const marksOf = (entries: readonly Entry[]): Track['stops'] =>
  entries.flatMap((entry) =>
    entry.kind === 'stop' ? [{ id: entry.id, number: entry.number, ...entry.stop.location }] : [],
  );

export const isChosen = (choice: TrackChoice, { kind, id }: Pick<Entry, 'kind' | 'id'>) =>
  choice?.kind === kind && choice.id === id;

/** `trip-12` in the address. */
export function choiceOf(text: string | null): TrackChoice {
  const [, kind, id] = /^(trip|stop)-(\d+)$/.exec(text ?? '') ?? [];
  return kind ? { kind: kind as 'trip' | 'stop', id: Number(id) } : undefined;
}
