import { type LogPosition, textOf } from './log-position.ts';

const NOBODY: readonly number[] = [];

/** An event in its wire format, built once for all readers. */
export interface StreamEvent {
  readonly place: LogPosition;
  /** In the event stream format. */
  readonly bytes: Buffer;
  /** The place as text. */
  readonly id: string;
  /** Absent for the end of a stream, which is no event. */
  readonly name?: string;
  /** JSON. */
  readonly data: string;
  /** Whom it is about, for sinks that care. */
  readonly about: readonly number[];
  /** For a slow reader, only the newest of the events with the same value is sent. */
  readonly newestOf?: string;
  /** The stream ends after this event. */
  readonly isLast?: boolean;
}

export function streamEvent(
  place: LogPosition,
  name: string,
  data: string,
  more: Partial<Pick<StreamEvent, 'newestOf' | 'isLast' | 'about'>> = {},
): StreamEvent {
  const id = textOf(place);
  const bytes = Buffer.from(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);
  return { place, bytes, id, name, data, about: NOBODY, ...more };
}

/** A comment without an event that carries the reader's current position, so that it can resume from there. */
export const positionComment = (place: LogPosition) => Buffer.from(`: \nid: ${textOf(place)}\n\n`);
export const BEAT = Buffer.from(': \n\n');

/** Ends a stream without an event: whoever resumes it goes on from there. */
export const streamEnd = (place: LogPosition): StreamEvent => ({
  place,
  bytes: positionComment(place),
  id: textOf(place),
  data: '',
  about: NOBODY,
  isLast: true,
});
