import { useEffect, useRef, useSyncExternalStore } from 'react';
import { duration } from '../../../format/quantities.ts';
import { clock as clockTime, dateTime } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { PlaceName, WayName } from '../../../map/place-name.tsx';
import type { Span } from '../../../map/track/playback.ts';
import type { TrackChoice } from '../../../map/track/track.ts';
import { t } from '../../../texts/t.ts';
import { classes } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { type Entry, isChosen } from './entries.ts';
import css from './entry-list.module.css';
import type { PlaybackClock } from './playback-clock.ts';

/** The list of trips and stops; selecting one shows it on the map. */
export function EntryList({
  entries,
  choice,
  onChoose,
  clock,
  fixCount,
  day,
}: {
  entries: readonly Entry[];
  choice: TrackChoice;
  onChoose: (choice: TrackChoice) => void;
  clock: PlaybackClock;
  fixCount: number;
  day: Span;
}) {
  const list = useRef<HTMLOListElement>(null);
  // The component renders when the playback reaches another entry, not at each frame.
  const playing = useSyncExternalStore(clock.subscribe, () => {
    const { at, isPlaying } = clock.get();
    return isPlaying && at !== undefined ? entries.findIndex(({ from, to }) => at >= from && at <= to) : -1;
  });
  const chosen = entries.findIndex((entry) => isChosen(choice, entry));
  const shown = playing >= 0 ? playing : chosen;
  useEffect(() => {
    list.current?.children[shown]?.scrollIntoView({ block: 'nearest' });
  }, [shown]);
  if (entries.length === 0)
    return (
      <div className={css.list}>
        <EmptyState icon="pin" title={t.deviceDay.still}>
          {t.deviceDay.stillHint({ count: fixCount })}
        </EmptyState>
      </div>
    );
  return (
    <ol ref={list} className={css.list} aria-label={t.deviceDay.list}>
      {entries.map((entry, index) => (
        <li key={`${entry.kind}-${entry.id}`}>
          <button
            type="button"
            aria-pressed={isChosen(choice, entry)}
            className={classes(css.entry, css[entry.kind], (index === chosen || index === playing) && css.chosen)}
            onClick={() => onChoose({ kind: entry.kind, id: entry.id })}
          >
            {entry.kind === 'trip' ? <TripLines entry={entry} day={day} /> : <StopLines entry={entry} />}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** With the date if it is on another day than the shown one. */
const timeIn = (at: number, day: Span) => (at < day.from || at >= day.to ? dateTime(at) : clockTime(at));

function TripLines({ entry, day }: { entry: Entry & { kind: 'trip' }; day: Span }) {
  const format = useFormat();
  const {
    distance,
    duration: seconds,
    averageSpeed,
    maxSpeed,
    idle,
    driverName,
    startLocation,
    endLocation,
    deviceId,
  } = entry.trip;
  return (
    <>
      <span className={css.mark}>
        <Icon name="route" size={16} />
      </span>
      <span className={css.head}>
        <strong>{format.distance(distance)}</strong>
        <span>{duration(seconds)}</span>
      </span>
      <span className={css.when}>
        {t.deviceDay.fromTo({ from: timeIn(entry.from, day), to: timeIn(entry.to, day) })}
      </span>
      <span className={css.more}>
        {t.deviceDay.average({ speed: format.speed(averageSpeed) })}
        {/* The maximum is over the fixes; with few fixes it may be below the average. */}
        {maxSpeed >= averageSpeed && ` · ${t.deviceDay.most({ speed: format.speed(maxSpeed) })}`}
        {idle >= 60 && ` · ${t.deviceDay.idle({ time: duration(idle) })}`}
      </span>
      {startLocation && endLocation && (
        <WayName from={startLocation} to={endLocation} deviceId={deviceId} className={css.more} />
      )}
      {driverName && <span className={css.more}>{t.drivers.driver({ name: driverName })}</span>}
    </>
  );
}

function StopLines({ entry }: { entry: Entry & { kind: 'stop' } }) {
  return (
    <>
      <span className={classes(css.mark, css.number)}>{entry.number}</span>
      <span className={css.head}>
        <span>{t.deviceDay.stop}</span>
        <span>{duration((entry.to - entry.from) / 1000)}</span>
      </span>
      <span className={css.when}>{t.deviceDay.fromTo({ from: clockTime(entry.from), to: clockTime(entry.to) })}</span>
      {entry.stop.location && (
        <PlaceName at={entry.stop.location} deviceId={entry.stop.deviceId} className={css.more} />
      )}
      {entry.began < entry.from && (
        <span className={css.more}>{t.deviceDay.since({ time: dateTime(entry.began) })}</span>
      )}
    </>
  );
}
