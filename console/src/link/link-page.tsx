import type { ShownLink } from '@trackway/contract/resources/link.ts';
import { lazy, Suspense, useEffect } from 'react';
import { duration } from '../format/quantities.ts';
import { dateTime, relative } from '../format/times.ts';
import { useFormat, useNow } from '../format/use-format.ts';
import { useStore } from '../store.ts';
import { t } from '../texts/t.ts';
import { arrivalAt } from './arrival.ts';
import { type LinkState, linkState } from './follow-link.ts';
import css from './link.module.css';

const words = t.publicLink;

const LinkMap = lazy(() => import('./link-map.tsx'));

/** Younger than this, a position is where it is now. */
const LIVE_MS = 2 * 60_000;
const STILL_KMH = 2;

/** What anyone sees who has a link: a map, and in a few words what there is to say. */
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

const nameOf = ({ devices }: ShownLink) =>
  devices
    .map(({ name }) => name)
    .filter(Boolean)
    .join(', ') || words.unnamed;

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
  return (
    <main className={css.page}>
      <div className={css.map}>
        <Suspense fallback={null}>
          <LinkMap shown={shown} name={name} />
        </Suspense>
      </div>
      <section className={css.card} aria-live="polite">
        <h1>{name}</h1>
        {shown.devices.length === 1 && <Where state={state} shown={shown} />}
        {state.isAway && <p className={css.away}>{words.away}</p>}
        <p className={css.foot}>
          <span>{words.until(dateTime(shown.expiresAt))}</span>
          <span>{words.madeWith}</span>
        </p>
      </section>
    </main>
  );
}

function Where({ state, shown }: { state: LinkState; shown: ShownLink }) {
  const now = useNow(1000) + state.aheadMs;
  const format = useFormat();
  const { position } = shown.devices[0]!;
  if (position === null) return <p>{words.neverSeen}</p>;
  const isLive = now - Date.parse(position.timestamp) < LIVE_MS && !state.isAway;
  const { destination } = shown;
  const arrival = destination && arrivalAt(destination, position, now);
  const place = destination?.name || words.destination;
  return (
    <>
      <p className={css.now}>
        <strong className={isLive ? css.live : css.old}>
          {isLive ? words.live : words.lastSeen(relative(position.timestamp, now))}
        </strong>
        {isLive && position.speed !== null && (
          <span>{position.speed < STILL_KMH ? words.still : format.speed(position.speed)}</span>
        )}
      </p>
      {arrival && (
        <p className={css.arrival}>
          <strong>{arrival.isThere ? words.there(place) : words.far(format.distance(arrival.metres), place)}</strong>
          {arrival.seconds !== undefined && <span>{words.time(duration(Math.max(60, arrival.seconds)))}</span>}
        </p>
      )}
    </>
  );
}
