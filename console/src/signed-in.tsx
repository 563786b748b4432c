import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { followFleet } from './api/live/fleet.ts';
import { followLive } from './api/live/live.ts';
import { useSession } from './api/session.ts';
import { NotFound } from './pages/not-found/not-found.tsx';
import { EnrolPage, NAVIGATION, ROUTES } from './routes.ts';
import { Broken } from './shell/broken.tsx';
import { Shell } from './shell/shell.tsx';
import { Waiting } from './shell/waiting.tsx';

/** The pages behind the sign-in. After signing in, the user returns to the requested address. */
export default function SignedIn() {
  const { session, isKnown } = useSession();
  const [location] = useLocation();
  const userId = session?.userId;
  useEffect(() => {
    if (userId === undefined) return;
    // The fleet subscribes before the stream starts, so that no event between reading and streaming is lost.
    const [endFleet, endLive] = [followFleet(), followLive()];
    return () => {
      endLive();
      endFleet();
    };
  }, [userId]);
  if (!isKnown) return <Waiting />;
  if (userId === undefined) {
    const wanted = location + window.location.search;
    return <Redirect to={wanted === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(wanted)}`} replace />;
  }
  if (session?.lacksSecondFactor) return <EnrolPage />;
  return (
    <Shell navigation={NAVIGATION}>
      <Broken key={location.split('/')[1]}>
        <Suspense fallback={<Waiting />}>
          <Switch>
            {ROUTES.map(({ path, page }) => (
              <Route key={path} path={path} component={page} />
            ))}
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </Broken>
    </Shell>
  );
}
