import type { ShownLink } from '@trackway/contract/resources/link.ts';
import { lazy, Suspense, useEffect, useState } from 'react';
import { duration } from '../format/quantities.ts';
import { clockSeconds, dateTime, dayKey, exactTime, relative } from '../format/times.ts';
import { useFormat, useNow } from '../format/use-format.ts';
import type { LatLng } from '../geo/place.ts';
import { useStore } from '../store.ts';
import { t } from '../texts/t.ts';
import { type Arrival, arrivalAt } from './arrival.ts';
import { type LinkState, linkState } from './follow-link.ts';
import css from './link.module.css';
import { LIVE_MS, STILL_KMH } from './mark-of.ts';

const words = t.publicLink;

const LinkMap = lazy(() => import('./link-map.tsx'));

/** The public page of a link: a map and a short text. */
export function LinkPage() {
  const state = useStore(linkState);
  const name = state.shown ? nameOf(state.shown) : words.unnamed;
  useEffect(() => {
    document.title = state.kind === 'ended' ? words.ended : name;
  }, [state.kind, name]);
  if (state.kind === 'shown') return <Shown state={state} shown={state.shown!} name={name} />;
  if (state.kind === 'ended') return <Said title={words.ended} text={words.endedText} />;
  if (state.kind === 'incomplete') return <Said title={words.incomplete} text={words.incompleteText} />;
  if (state.kind === 'crowded') return <Said title={words.crowded} text={words.crowdedText} />;
  return <Said title={words.waiting} text={state.isAway ? words.away : ''} />;
}

const timeTo = (seconds: number, isByRoad: boolean) => {
  const shown = { duration: duration(Math.max(60, seconds)) };
  return isByRoad ? words.timeByRoad(shown) : words.time(shown);
};
/** For today, only the time. */
const timeOf = (timestamp: string, now: number) =>
  dayKey(timestamp) === dayKey(now) ? clockSeconds(timestamp) : exactTime(timestamp);
const nameOf = ({ name }: ShownLink) => name || words.unnamed;

function Said({ title, text }: { title: string; text: string }) {
  return (
    <main className={css.said}>
      <img src="/pages/icon.svg" alt="" width={48} height={48} />
      <h1>{title}</h1>
      <p role="status">{text}</p>
    </main>
  );
}

function Shown({ state, shown, name }: { state: LinkState; shown: ShownLink; name: string }) {
  // A new object each time, so that the same device can be shown again.
  const [goTo, setGoTo] = useState<LatLng>();
  return (
    <main className={css.page}>
      <div className={css.map}>
        <Suspense fallback={null}>
          <LinkMap shown={shown} name={name} aheadMs={state.aheadMs} goTo={goTo} />
        </Suspense>
      </div>
      <section className={css.card} aria-live="polite">
        <h1>{name}</h1>
        {shown.isOfGroup ? (
          <Devices state={state} shown={shown} onShow={setGoTo} />
        ) : (
          <Where state={state} shown={shown} />
        )}
        {state.isAway && <p className={css.away}>{words.away}</p>}
        <p className={css.foot}>
          <span>{words.until({ time: dateTime(shown.expiresAt) })}</span>
          <span>{words.madeWith}</span>
        </p>
      </section>
    </main>
  );
}

/** The devices of a group, each with a short text. */
function Devices({ state, shown, onShow }: { state: LinkState; shown: ShownLink; onShow: (place: LatLng) => void }) {
  const now = useNow(1000) + state.aheadMs;
  const format = useFormat();
  const { devices, destination, more } = shown;
  if (devices.length === 0) return <p>{words.noDevices}</p>;
  return (
    <>
      <p className={css.old}>{words.devices({ count: devices.length + more })}</p>
      <ul className={css.devices} aria-label={words.deviceList}>
        {devices.map(({ name, position, route }, at) => {
          const called = name || words.unnamed;
          const isLive = position !== null && now - Date.parse(position.timestamp) < LIVE_MS && !state.isAway;
          const said =
            position === null ? words.notSeen : isLive ? speedOf(position.speed) : relative(position.timestamp, now);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order is fixed, and a viewer gets no ids.
            <li key={at}>
              <button
                type="button"
                title={words.showDevice({ name: called })}
                disabled={position === null}
                onClick={() => position && onShow({ lat: position.lat, lng: position.lng })}
              >
                <strong>{called}</strong>
                <span className={isLive ? css.live : css.old}>{said}</span>
                {position && (
                  <time className={css.old} dateTime={position.timestamp} aria-live="off">
                    {timeOf(position.timestamp, now)}
                  </time>
                )}
                {destination && position && (
                  <span className={css.old}>{arrivalOf(arrivalAt(destination, position, now, route))}</span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p className={css.old}>{words.more({ count: more })}</p>}
    </>
  );

  function arrivalOf({ isThere, isByRoad, metres, seconds }: Arrival): string {
    const place = destination!.name || words.destination;
    if (isThere) return words.there({ place });
    const said = { distance: format.distance(metres), place };
    const far = isByRoad ? words.farByRoad(said) : words.far(said);
    return seconds === undefined ? far : `${far} · ${timeTo(seconds, isByRoad)}`;
  }

  function speedOf(speed: number | null): string {
    if (speed === null) return words.live;
    return speed < STILL_KMH ? words.still : format.speed(speed);
  }
}

function Where({ state, shown }: { state: LinkState; shown: ShownLink }) {
  const now = useNow(1000) + state.aheadMs;
  const format = useFormat();
  const { position, route } = shown.devices[0]!;
  if (position === null) return <p>{words.neverSeen}</p>;
  const isLive = now - Date.parse(position.timestamp) < LIVE_MS && !state.isAway;
  const { destination } = shown;
  const arrival = destination && arrivalAt(destination, position, now, route);
  const place = destination?.name || words.destination;
  return (
    <>
      <p className={css.now}>
        <strong className={isLive ? css.live : css.old}>
          {isLive ? words.live : words.lastSeen({ ago: relative(position.timestamp, now) })}
        </strong>
        {isLive && position.speed !== null && (
          <span>{position.speed < STILL_KMH ? words.still : format.speed(position.speed)}</span>
        )}
      </p>
      {/* It changes with every position, so screen readers do not announce it. */}
      <p className={css.old} aria-live="off">
        <time dateTime={position.timestamp}>{words.positionAt({ time: timeOf(position.timestamp, now) })}</time>
      </p>
      {arrival && (
        <p className={css.arrival}>
          <strong>
            {arrival.isThere
              ? words.there({ place })
              : words[arrival.isByRoad ? 'farByRoad' : 'far']({ distance: format.distance(arrival.metres), place })}
          </strong>
          {arrival.seconds !== undefined && <span>{timeTo(arrival.seconds, arrival.isByRoad)}</span>}
        </p>
      )}
    </>
  );
}
