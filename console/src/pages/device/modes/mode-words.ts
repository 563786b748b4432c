import type { Mode } from '../../../api/commands.ts';
import { duration } from '../../../format/quantities.ts';
import { clock, dateTime, dayKey, type Time } from '../../../format/times.ts';
import { t, textFor } from '../../../texts/t.ts';

export const FLIGHT = 6;

const kindOf = (type: number) => textFor(t.deviceModes.kinds, type) ?? t.deviceModes.unknownKind({ type });

/** "14:30" for today, else with the day. */
export const momentInWords = (time: Time) => (dayKey(time) === dayKey(Date.now()) ? clock(time) : dateTime(time));

/** "Radio off until 14:30", or "Sleep for 2 h" until the device has received it. */
export function modeInWords({ type, sent, end, duration: minutes }: Mode): string {
  const kind = kindOf(type);
  if (minutes === 0) return t.deviceModes.untilChanged({ mode: kind });
  if (sent === null || end === null) return t.deviceModes.lasting({ mode: kind, length: duration(minutes * 60) });
  return t.deviceModes.until({ mode: kind, when: momentInWords(end) });
}
