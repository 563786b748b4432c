import { dayKey } from '../../../format/times.ts';
import type { Span } from '../../../map/track/playback.ts';

/** What no file system takes, or takes for something else. */
const FORBIDDEN = /[\\/:*?"<>|\p{C}]+/gu;
const LONGEST = 80;

/** "Van 3 2026-11-14", by the clock of the viewer; a trip has its hour as well: "Van 3 2026-11-14 09.05". */
export function fileNameOf(device: string, span: Span, isTrip: boolean): string {
  const plain = device
    .replace(FORBIDDEN, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+/, '')
    .slice(0, LONGEST)
    .trim();
  const hour = isTrip ? ` ${new Date(span.from).toTimeString().slice(0, 5).replace(':', '.')}` : '';
  return `${plain} ${dayKey(span.from)}${hour}`.trim();
}
