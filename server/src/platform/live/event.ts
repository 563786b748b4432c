import { type LogPosition, textOf } from './log-position.ts';

/** An event as it goes out: made once, whoever reads it. */
export interface StreamEvent {
  readonly place: LogPosition;
  /** As the event stream format has it. */
  readonly bytes: Buffer;
  /** To a slow reader, of the events with the same one only the newest matters. */
  readonly newestOf?: string;
  /** Nothing comes after it. */
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

/** Tells no event, but where the reader stands, so that it resumes from there. */
export const positionComment = (place: LogPosition) => Buffer.from(`: \nid: ${textOf(place)}\n\n`);
export const BEAT = Buffer.from(': \n\n');
