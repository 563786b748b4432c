import type { Stop, Trip } from '../../../api/devices.ts';
import type { Span } from '../../../map/track/playback.ts';
import type { Track, TrackChoice } from '../../../map/track/track.ts';

/** A trip or a stop of the day, as the list shows it. */
export type Entry = Span & { readonly id: number; readonly number: number } & (
    | { readonly kind: 'trip'; readonly trip: Trip }
    | { readonly kind: 'stop'; readonly stop: Stop }
  );

/** Trips and stops in the order in which they happened, each counted on its own. */
export function entriesOf(trips: readonly Trip[], stops: readonly Stop[]): Entry[] {
  const spanOf = ({ start, end }: { start: string; end: string }) => ({ from: Date.parse(start), to: Date.parse(end) });
  return [
    ...trips.map((trip, index) => ({ kind: 'trip' as const, id: trip.id, number: index + 1, trip, ...spanOf(trip) })),
    ...stops.map((stop, index) => ({ kind: 'stop' as const, id: stop.id, number: index + 1, stop, ...spanOf(stop) })),
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
