import type { Mode } from '../../../api/commands.ts';
import { duration } from '../../../format/quantities.ts';
import { clock, dateTime, dayKey, type Time } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';

export const FLIGHT = 6;

const kindOf = (type: number) => t.deviceModes.kinds[type] ?? t.deviceModes.unknownKind(type);

/** "14:30" today, else with the day. */
export const momentInWords = (time: Time) => (dayKey(time) === dayKey(Date.now()) ? clock(time) : dateTime(time));

/** "Flight mode until 14:30", "Sleep for 2 h" while the device has not heard of it. */
export function modeInWords({ type, sent, end, duration: minutes }: Mode): string {
  const kind = kindOf(type);
  if (minutes === 0) return t.deviceModes.untilToldOtherwise(kind);
  if (sent === null || end === null) return t.deviceModes.lasting(kind, duration(minutes * 60));
  return t.deviceModes.until(kind, momentInWords(end));
}
