import { exactTime, relative, type Time } from '../format/times.ts';
import { useNow } from '../format/use-format.ts';

/**
 * A relative time, with the exact time on hover.
 * @param happened it is certainly in the past, even if the clock of the device is ahead of this one
 */
export function Ago({ time, happened }: { time: Time; happened?: boolean }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={exactTime(time)}>
      {relative(happened ? Math.min(new Date(time).getTime(), now) : time, now)}
    </time>
  );
}
