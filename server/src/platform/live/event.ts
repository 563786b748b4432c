import { type LogPosition, textOf } from './log-position.ts';

/** An event in its wire format, built once for all readers. */
export interface StreamEvent {
  readonly place: LogPosition;
  /** In the event stream format. */
  readonly bytes: Buffer;
  /** For a slow reader, only the newest of the events with the same value is sent. */
  readonly newestOf?: string;
  /** The stream ends after this event. */
  readonly isLast?: boolean;
}

export function streamEvent(
  place: LogPosition,
  name: string,
  data: string,
  more: Pick<StreamEvent, 'newestOf' | 'isLast'> = {},
): StreamEvent {
  return { place, bytes: Buffer.from(`id: ${textOf(place)}\nevent: ${name}\ndata: ${data}\n\n`), ...more };
}

/** A comment without an event that carries the reader's current position, so that it can resume from there. */
export const positionComment = (place: LogPosition) => Buffer.from(`: \nid: ${textOf(place)}\n\n`);
export const BEAT = Buffer.from(': \n\n');

/** Ends a stream without an event: whoever resumes it goes on from there. */
export const streamEnd = (place: LogPosition): StreamEvent => ({ place, bytes: positionComment(place), isLast: true });
