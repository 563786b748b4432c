import type { Stop, Trip } from '../../../api/devices.ts';
import type { Span } from '../../../map/track/playback.ts';
import type { Track, TrackChoice } from '../../../map/track/track.ts';

/** A trip or a stop of the day, as the list shows it. */
export type Entry = Span & {
  readonly id: number;
  readonly number: number;
  /** When it really began, which may be on a day before. */
  readonly began: number;
} & ({ readonly kind: 'trip'; readonly trip: Trip } | { readonly kind: 'stop'; readonly stop: Stop });

/**
 * Trips and stops in the order in which they happened, each counted on its own. A stop is shown for as long as it lasted
 * on this day; a trip stays whole, since its distance can't be cut.
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
