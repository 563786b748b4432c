import { clock } from '../format/times.ts';
import { useNow } from '../format/use-format.ts';
import { t } from '../texts/t.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';

const words = t.rules;
const HOUR_MS = 3_600_000;

interface Pausable {
  readonly paused: boolean;
  readonly snoozedUntil: string | null;
}

const isSnoozed = ({ snoozedUntil }: Pausable, now: number) => snoozedUntil !== null && Date.parse(snoozedUntil) > now;

/** Whether it watches at all at this moment. */
export function PauseBadge({ of }: { of: Pausable }) {
  const now = useNow();
  if (of.paused) return <Badge tone="warn">{words.paused}</Badge>;
  if (isSnoozed(of, now)) return <Badge tone="warn">{words.snoozedUntil(clock(of.snoozedUntil!))}</Badge>;
  return null;
}

/** Pauses it, lets it sleep for an hour, or wakes it. */
export function PauseButtons({
  of,
  isBusy,
  onChange,
}: {
  of: Pausable;
  isBusy: boolean;
  onChange: (change: { paused?: boolean; snoozedUntil?: string | null }) => void;
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
        <Button
          icon="snooze"
          size="small"
          isBusy={isBusy}
          onClick={() => onChange({ snoozedUntil: new Date(Date.now() + HOUR_MS).toISOString() })}
        >
          {`${words.snooze}: ${words.snoozeHours(1).toLowerCase()}`}
        </Button>
      )}
      <Button icon="pause" size="small" isBusy={isBusy} onClick={() => onChange({ paused: true })}>
        {words.pause}
      </Button>
    </>
  );
}
