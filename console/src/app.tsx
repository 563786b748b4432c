import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { queryClient } from './api/client.ts';
import { DOORS, SetUpPage, SignInPage } from './doors.ts';
import { Waiting } from './shell/waiting.tsx';
import { Toasts } from './ui/toast.tsx';

/** The sign-in page does without the rest of the console. */
const SignedIn = lazy(() => import('./signed-in.tsx'));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          <Route path="/setup" component={SetUpPage} />
          <Route path="/sign-in" component={SignInPage} />
          {DOORS.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route>
            <SignedIn />
          </Route>
        </Switch>
      </Suspense>
      <Toasts />
    </QueryClientProvider>
  );
}
