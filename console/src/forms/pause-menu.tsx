import { clock, dateTime, dayKey } from '../format/times.ts';
import { useNow } from '../format/use-format.ts';
import { t } from '../texts/t.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { SNOOZES, snoozeEnd } from './snooze-ends.ts';

const words = t.rules;

interface Pausable {
  readonly paused: boolean;
  readonly snoozedUntil: string | null;
}

export interface PauseChange {
  readonly paused?: boolean;
  readonly snoozedUntil?: string | null;
}

const isSnoozed = ({ snoozedUntil }: Pausable, now: number) => snoozedUntil !== null && Date.parse(snoozedUntil) > now;

/** Whether it is currently active. */
export function PauseBadge({ of }: { of: Pausable }) {
  const now = useNow();
  if (of.paused) return <Badge tone="warn">{words.paused}</Badge>;
  if (isSnoozed(of, now)) {
    const until = of.snoozedUntil!;
    const isToday = dayKey(until) === dayKey(now);
    return <Badge tone="warn">{words.snoozedUntil({ time: isToday ? clock(until) : dateTime(until) })}</Badge>;
  }
  return null;
}

/** Pauses, snoozes or resumes it. */
export function PauseButtons({
  of,
  isBusy,
  onChange,
}: {
  of: Pausable;
  isBusy: boolean;
  onChange: (change: PauseChange) => void;
}) {
  const now = useNow();
  if (of.paused)
    return (
      <Button icon="play" size="small" isBusy={isBusy} onClick={() => onChange({ paused: false })}>
        {words.resume}
      </Button>
    );
  return (
    <>
      {isSnoozed(of, now) ? (
        <Button icon="play" size="small" isBusy={isBusy} onClick={() => onChange({ snoozedUntil: null })}>
          {words.wake}
        </Button>
      ) : (
        <Menu
          label={words.snooze}
          items={SNOOZES.map((snooze) => ({
            label: words.snoozes[snooze],
            onPress: () => onChange({ snoozedUntil: snoozeEnd(snooze, new Date()).toISOString() }),
          }))}
          button={(props) => (
            <Button icon="snooze" size="small" isBusy={isBusy} {...props}>
              {words.snooze}
            </Button>
          )}
        />
      )}
      <Button icon="pause" size="small" isBusy={isBusy} onClick={() => onChange({ paused: true })}>
        {words.pause}
      </Button>
    </>
  );
}
