import { simplerRoute } from '@trackway/contract/corridor.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { type Device, useDays, useStops, useTrips } from '../../../api/devices.ts';
import { count } from '../../../format/quantities.ts';
import { dayKey, day as dayName, startOfDay, ZONE } from '../../../format/times.ts';
import type { MapLibre } from '../../../map/map-part.ts';
import { MapView } from '../../../map/map-view.tsx';
import { PlaceSearch } from '../../../map/search/place-search.tsx';
import type { Fix, Span } from '../../../map/track/playback.ts';
import { createTrackLayer, type TrackChoice } from '../../../map/track/track.ts';
import { t } from '../../../texts/t.ts';
import { EmptyState, ErrorState, Notice, Skeleton } from '../../../ui/states.tsx';
import type { SheetProps } from '../rights.ts';
import { DayHead } from './day-head.tsx';
import { noonOf, rangeOf, spanOf } from './day-range.ts';
import css from './day-sheet.module.css';
import { choiceOf, entriesOf, isChosen, marksOf, tripsIn } from './entries.ts';
import { EntryList } from './entry-list.tsx';
import { SpeedLegend } from './legend.tsx';
import { createPlaybackClock } from './playback-clock.ts';
import { Player } from './player.tsx';
import { MOST_FIXES, useTrack } from './use-track.ts';

const LIVE_EVERY_MS = 30_000;
const LOOK_BACK_DAYS = 90;
/** The shown time around a moment from the address. */
const AROUND_MS = 300_000;

/** The day of the address, or else the last day with a trip. */
export default function DaySheet({ device, detail }: SheetProps) {
  const lookBack = useMemo(() => {
    const from = startOfDay(Date.now() - LOOK_BACK_DAYS * 86_400_000);
    const to = startOfDay(Date.now() + 86_400_000);
    return { from: from.toISOString(), to: to.toISOString(), tz: ZONE };
  }, []);
  const isDay = noonOf(detail) !== undefined;
  const days = useDays(device.id, lookBack, { enabled: !isDay });
  if (isDay) return <Day key={`${device.id} ${detail}`} device={device} day={detail!} />;
  if (days.error) return <ErrorState error={days.error} onRetry={() => void days.refetch()} />;
  if (!days.data) return <Skeleton lines={6} />;
  const last = days.data.findLast(({ trips }) => trips > 0)?.day ?? dayKey(Date.now());
  return <Day key={`${device.id} ${last}`} device={device} day={last} />;
}

function Day({ device, day }: { device: Device; day: string }) {
  const deviceId = device.id;
  const [map, setMap] = useState<MapLibre>();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const choice = choiceOf(search.get('at'));
  const span = useMemo(() => spanOf(day), [day]);
  const range = useMemo(() => rangeOf(span), [span]);
  const isToday = day === dayKey(Date.now());
  const refetchInterval = isToday ? LIVE_EVERY_MS : undefined;
  const trips = useTrips(deviceId, range, { refetchInterval });
  const stops = useStops(deviceId, range, { refetchInterval });
  const track = useTrack(deviceId, range, refetchInterval ?? false);

  const choose = (next: TrackChoice) => {
    const isSame = next && choice?.kind === next.kind && choice.id === next.id;
    setSearch(next && !isSame ? { at: `${next.kind}-${next.id}` } : {}, { replace: true });
  };
  const onChoose = useRef(choose);
  onChoose.current = choose;
  const layer = useMemo(() => createTrackLayer((next) => onChoose.current(next)), []);
  const clock = useMemo(() => createPlaybackClock(), []);
  const parts = useMemo(() => [layer.part], [layer]);
  const entries = useMemo(() => entriesOf(trips.data ?? [], stops.data ?? [], span), [trips.data, stops.data, span]);
  const fixes = track.data;
  const isReady = fixes !== undefined && trips.data !== undefined && stops.data !== undefined;

  useEffect(() => {
    if (isReady) layer.show({ fixes, trips: tripsIn(entries), stops: marksOf(entries) });
  }, [layer, isReady, fixes, entries]);

  const chosen = entries.find((entry) => isChosen(choice, entry));
  const choiceKey = chosen && `${chosen.kind}-${chosen.id}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only another choice moves the map and the clock, not new data.
  useEffect(() => {
    layer.choose(chosen && { kind: chosen.kind, id: chosen.id });
    if (!isReady) return;
    if (chosen) clock.set({ at: Math.max(chosen.from, span.from), isPlaying: false });
    layer.fit(chosen && { from: chosen.from, to: chosen.to });
  }, [layer, choiceKey, isReady]);

  const moment = Date.parse(search.get('moment') ?? '');
  useEffect(() => {
    if (!isReady || Number.isNaN(moment)) return;
    clock.set({ at: moment, isPlaying: false });
    layer.fit({ from: moment - AROUND_MS, to: moment + AROUND_MS });
  }, [layer, clock, moment, isReady]);

  const error = trips.error ?? stops.error ?? track.error;
  const retry = () => void Promise.all([trips.refetch(), stops.refetch(), track.refetch()]);
  const start = useMemo(() => (isReady ? startOf(fixes) : undefined), [isReady, fixes]);
  const opens = useRef<ReturnType<typeof startOf>>(undefined);
  opens.current ??= start;

  return (
    <div className={css.sheet}>
      <DayHead
        device={device}
        day={day}
        entries={entries}
        chosen={chosen}
        onDay={(next) => navigate(`/devices/${deviceId}/day/${next}`)}
        onCorridor={() => chosen && navigate('/geofences/new', { state: { route: routeOf(fixes ?? [], chosen) } })}
      />
      {error ? (
        <ErrorState error={error} onRetry={retry} />
      ) : !isReady ? (
        <Skeleton lines={8} />
      ) : fixes.length === 0 ? (
        <EmptyState icon="route" title={t.deviceDay.empty}>
          {t.deviceDay.emptyHint}
        </EmptyState>
      ) : (
        <>
          {fixes.length >= MOST_FIXES && (
            <Notice tone="warn">{t.deviceDay.shortened({ count: count(MOST_FIXES) })}</Notice>
          )}
          <div className={css.split}>
            <div className={css.map}>
              <MapView
                label={t.deviceDay.mapLabel({ day: dayName(`${day}T12:00`) })}
                parts={parts}
                start={opens.current}
                onMap={setMap}
              >
                {map && <PlaceSearch map={map} />}
                <SpeedLegend />
              </MapView>
              <Player clock={clock} layer={layer} fixes={fixes} entries={entries} day={span} />
            </div>
            <EntryList
              entries={entries}
              choice={choice}
              onChoose={choose}
              clock={clock}
              fixCount={fixes.length}
              day={span}
            />
          </div>
        </>
      )}
    </div>
  );
}

/** The route of a time range with as few vertices as a corridor needs, up to its limit. */
function routeOf(fixes: readonly Fix[], { from, to }: Span) {
  const within = fixes.filter(({ at }) => at >= from && at <= to).map(({ lat, lng }) => ({ lat, lng }));
  let toleranceM = 10;
  let route = simplerRoute(within, toleranceM);
  while (route.length > MOST_CORNERS) {
    toleranceM *= 2;
    route = simplerRoute(within, toleranceM);
  }
  return route;
}

/** A path that is edited manually has at most this many vertices. */
const MOST_CORNERS = 200;

function startOf(fixes: readonly { lng: number; lat: number }[]) {
  if (fixes.length === 0) return undefined;
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const { lng, lat } of fixes) {
    [west, east] = [Math.min(west, lng), Math.max(east, lng)];
    [south, north] = [Math.min(south, lat), Math.max(north, lat)];
  }
  return {
    bounds: [
      [west, south],
      [east, north],
    ] as [[number, number], [number, number]],
  };
}
