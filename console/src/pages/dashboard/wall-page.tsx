import { useEffect } from 'react';
import { clock, day } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { keepScreenOn } from '../../ui/keep-screen-on.ts';
import { useTitle } from '../../ui/page.tsx';
import { Alarms } from './alarms.tsx';
import FleetMap from './fleet-map.tsx';
import { Batteries, Counts, Silent } from './now.tsx';
import { useShown } from './use-shown.ts';
import css from './wall.module.css';

const words = t.dashboard.wall;

/** A screen on a wall: the map, and what needs action, in large type and without navigation. */
export default function WallPage() {
  const { group, only, overview, isReady } = useShown();
  const now = useNow(1000);
  useTitle(words.title);
  useEffect(() => {
    const ending = new AbortController();
    keepScreenOn(ending.signal);
    return () => ending.abort();
  }, []);
  const ofGroup = group === undefined ? '' : `?group=${group.id}`;
  return (
    <div className={css.wall}>
      <header className={css.head}>
        <h1>{group?.name ?? t.dashboard.title}</h1>
        <time className={css.clock} dateTime={new Date(now).toISOString()}>
          {day(now)} · <b>{clock(now)}</b>
        </time>
        {document.fullscreenEnabled && (
          <Button icon="screen" size="small" shrinks onClick={() => void document.documentElement.requestFullscreen()}>
            {words.fullScreen}
          </Button>
        )}
        <ButtonLink icon="close" size="small" shrinks href={`/dashboard${ofGroup}`}>
          {words.close}
        </ButtonLink>
      </header>
      <div className={css.map}>{isReady && <FleetMap only={only} follows />}</div>
      <div className={css.side}>
        <Counts overview={overview} groupId={group?.id} />
        <Alarms only={only} />
        {overview.silent.length > 0 && <Silent overview={overview} groupId={group?.id} />}
        {overview.batteries.length > 0 && <Batteries overview={overview} groupId={group?.id} />}
      </div>
    </div>
  );
}
