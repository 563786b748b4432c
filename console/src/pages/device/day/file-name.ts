import { dayKey } from '../../../format/times.ts';
import type { Span } from '../../../map/track/playback.ts';

/** Characters that are not allowed in file names, or have a special meaning. */
const FORBIDDEN = /[\\/:*?"<>|\p{C}]+/gu;
const LONGEST = 80;

/** "Van 3 2026-11-14", in the viewer's zone; for a trip with the time: "Van 3 2026-11-14 09.05". */
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
