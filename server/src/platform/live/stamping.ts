import { type LogEvent, type StreamEvent, streamEvent } from './event.ts';
import type { LaneRange } from './log-position.ts';
import { eventTexts } from './position-text.ts';

export type Stamping = (event: LogEvent) => StreamEvent;

/** Gives events their wire format on the way through ranges, each once for all readers that go this way. */
export function stamping(lanes: readonly number[], ranges: readonly LaneRange[]): Stamping {
  const textOf = eventTexts(lanes, ranges);
  const made = new Map<LogEvent, StreamEvent>();
  return (event) => {
    const known = made.get(event);
    if (known !== undefined) return known;
    const fresh = streamEvent(textOf(event.lane, event.entry, event.index), event);
    made.set(event, fresh);
    return fresh;
  };
}
