import type { LogPosition } from './log-position.ts';
import { textOf } from './position-text.ts';

const NOBODY: readonly number[] = [];

/** An event of an entry of the log, built once for all readers. */
export interface LogEvent {
  readonly lane: number;
  readonly entry: number;
  /** Among the events of its entry. */
  readonly index: number;
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

/** An event in its wire format: with the place at which a reader is after it. */
export interface StreamEvent extends Pick<LogEvent, 'name' | 'data' | 'about' | 'newestOf' | 'isLast'> {
  /** In the event stream format. */
  readonly bytes: Buffer;
  /** The place as text. */
  readonly id: string;
}

type Place = Pick<LogEvent, 'lane' | 'entry' | 'index'>;

export const logEvent = (
  { lane, entry, index }: Place,
  name: string,
  data: string,
  more: Partial<Pick<LogEvent, 'newestOf' | 'isLast' | 'about'>> = {},
): LogEvent => ({ lane, entry, index, name, data, about: NOBODY, ...more });

/** Ends a stream without an event: whoever resumes it goes on from there. */
export const logEnd = ({ lane, entry, index }: Place): LogEvent => ({
  lane,
  entry,
  index,
  data: '',
  about: NOBODY,
  isLast: true,
});

/** @param id where a reader is after the event */
export function streamEvent(
  id: string,
  { name, data, about = NOBODY, newestOf, isLast }: Pick<LogEvent, 'data'> & Partial<LogEvent>,
): StreamEvent {
  const bytes = name === undefined ? commentAt(id) : Buffer.from(`id: ${id}\nevent: ${name}\ndata: ${data}\n\n`);
  return { bytes, id, name, data, about, newestOf, isLast };
}

const commentAt = (id: string) => Buffer.from(`: \nid: ${id}\n\n`);

/** A comment without an event that carries the reader's current position, so that it can resume from there. */
export const positionComment = (place: LogPosition) => commentAt(textOf(place));
export const BEAT = Buffer.from(': \n\n');
