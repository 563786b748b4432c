import { exactTime, relative, type Time } from '../format/times.ts';
import { useNow } from '../format/use-format.ts';

/** How long ago, with the exact time on hover. */
export function Ago({ time }: { time: Time }) {
  const now = useNow();
  return (
    <time dateTime={new Date(time).toISOString()} title={exactTime(time)}>
      {relative(time, now)}
    </time>
  );
}
