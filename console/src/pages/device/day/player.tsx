import { useEffect, useState, useSyncExternalStore } from 'react';
import { clockSeconds } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { advance, type Fix, positionAt, type Span } from '../../../map/track/playback.ts';
import type { TrackLayer } from '../../../map/track/track.ts';
import { t } from '../../../texts/t.ts';
import { IconButton } from '../../../ui/button.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import { type Entry, tripsIn } from './entries.ts';
import { type PlaybackClock, RATES } from './playback-clock.ts';
import css from './player.module.css';

const STEP_MS = 1000;
/** Limits the step after the page was in the background. */
const LONGEST_FRAME_MS = 100;

/** Plays the day: a slider over its hours that marks trips, and a mark that moves along the track. */
export function Player({
  clock,
  layer,
  fixes,
  entries,
  day,
}: {
  clock: PlaybackClock;
  layer: TrackLayer;
  fixes: readonly Fix[];
  entries: readonly Entry[];
  day: Span;
}) {
  const format = useFormat();
  const { at, isPlaying, rate } = useSyncExternalStore(clock.subscribe, clock.get);
  const trips = tripsIn(entries);
  const [from, to] = [Math.max(day.from, fixes[0]!.at), Math.min(day.to, fixes.at(-1)!.at)];
  const shown = Math.min(to, Math.max(from, at ?? from));
  // Without trips there is no line: the mark shows where it was.
  const here = at === undefined && trips.length > 0 ? undefined : positionAt(fixes, shown);

  useEffect(() => layer.moveTo(here, isPlaying), [layer, here, isPlaying]);
  useEffect(() => () => layer.moveTo(undefined), [layer]);
  useFrames(isPlaying, (elapsedMs) => {
    const next = advance(clock.get().at ?? from, elapsedMs, clock.get().rate, trips, { from, to });
    clock.set(next >= to ? { at: to, isPlaying: false } : { at: next });
  });

  const toggle = () => {
    if (isPlaying) return clock.set({ isPlaying: false });
    const isOver = at === undefined || at >= to;
    clock.set({ isPlaying: true, ...(isOver && { at: Math.max(from, trips[0]?.from ?? from) }) });
  };
  const isUnderWay = trips.some((trip) => shown >= trip.from && shown <= trip.to);
  const speed = here?.speedKmh != null && isUnderWay ? format.speed(here.speedKmh) : '';
  return (
    <div className={css.player}>
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? t.deviceDay.pause : t.deviceDay.play}
        kind="primary"
        onClick={toggle}
      />
      <div className={css.time}>
        <output className={css.clock}>{clockSeconds(shown)}</output>
        <span className={css.speed}>{speed}</span>
      </div>
      <div className={css.slide}>
        <div className={css.band} aria-hidden="true">
          {trips.map((trip) => (
            <span
              key={trip.id}
              style={{ left: share(trip.from, from, to), right: `calc(100% - ${share(trip.to, from, to)})` }}
            />
          ))}
        </div>
        <input
          type="range"
          className={css.slider}
          aria-label={t.deviceDay.slider}
          aria-valuetext={t.deviceDay.atTime({ time: clockSeconds(shown), speed })}
          min={from}
          max={to}
          step={STEP_MS}
          value={shown}
          onChange={(event) => clock.set({ at: event.target.valueAsNumber, isPlaying: false })}
        />
      </div>
      <Segmented
        label={t.deviceDay.rate}
        choices={RATES.map((one) => ({ value: String(one), label: t.deviceDay.times({ rate: one }) }))}
        value={String(rate)}
        onChange={(one) => clock.set({ rate: Number(one) })}
      />
    </div>
  );
}

const share = (at: number, from: number, to: number) =>
  `${Math.min(100, Math.max(0, ((at - from) / Math.max(1, to - from)) * 100))}%`;

/** Calls `frame` with the milliseconds since the last frame while `isOn`. */
function useFrames(isOn: boolean, frame: (elapsedMs: number) => void): void {
  const [newest] = useState({ frame });
  newest.frame = frame;
  useEffect(() => {
    if (!isOn) return;
    let last = performance.now();
    let request = requestAnimationFrame(function next(now) {
      newest.frame(Math.min(LONGEST_FRAME_MS, Math.max(0, now - last)));
      last = now;
      request = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(request);
  }, [isOn, newest]);
}
