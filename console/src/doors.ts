import { type ComponentType, lazy } from 'react';
import { loadMessages } from './texts/t.ts';

export interface Door {
  /** A pattern of wouter: `/devices/:id`. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: Pages without parameters take none, others theirs.
  readonly page: ComponentType<any>;
}

// biome-ignore lint/suspicious/noExplicitAny: As above.
export const page = (load: () => Promise<{ default: ComponentType<any> }>) =>
  lazy(async () => {
    await loadMessages('rest');
    return load();
  });

export const SignInPage = lazy(() => import('./pages/sign-in/sign-in.tsx'));
export const SetUpPage = page(() => import('./pages/set-up/set-up.tsx'));

/** The pages that need no sign-in: targets of links in mails, and the web tracker. */
export const DOORS: readonly Door[] = [
  { path: '/forgot', page: lazy(() => import('./pages/by-mail/forgot-page.tsx')) },
  { path: '/reset', page: lazy(() => import('./pages/by-mail/reset-page.tsx')) },
  { path: '/confirm', page: lazy(() => import('./pages/by-mail/confirm-page.tsx')) },
  { path: '/invitation', page: lazy(() => import('./pages/by-mail/invitation-page.tsx')) },
  { path: '/mail/reports', page: lazy(() => import('./pages/by-mail/stop-page.tsx')) },
  { path: '/mail', page: lazy(() => import('./pages/by-mail/answer-page.tsx')) },
  { path: '/track', page: page(() => import('./pages/track/track-page.tsx')) },
];
