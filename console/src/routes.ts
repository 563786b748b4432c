import { type ComponentType, lazy } from 'react';
import { t } from './texts/t.ts';
import type { IconName } from './ui/icons.ts';

/** Where a page stands in the navigation. */
export interface NavEntry {
  readonly label: string;
  readonly icon: IconName;
  /** `main`: always in sight; `more`: in the menu. */
  readonly place: 'main' | 'more';
  readonly isForAdmins?: boolean;
}

export interface AppRoute {
  /** A pattern of wouter: `/devices/:id`. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: Pages without parameters take none, others theirs.
  readonly page: ComponentType<any>;
  /** Absent: reached by links alone. */
  readonly nav?: NavEntry;
}

export const SignInPage = lazy(() => import('./pages/sign-in/sign-in.tsx'));
export const SetUpPage = lazy(() => import('./pages/set-up/set-up.tsx'));

/**
 * The pages, each loaded when first opened, in the order of the navigation. A page is the default export of its file;
 * the first pattern that fits wins.
 */
export const ROUTES: readonly AppRoute[] = [
  {
    path: '/',
    page: lazy(() => import('./pages/map/map-page.tsx')),
    nav: { label: t.shell.map, icon: 'map', place: 'main' },
  },
  { path: '/welcome', page: lazy(() => import('./pages/welcome/welcome-page.tsx')) },
  {
    path: '/devices',
    page: lazy(() => import('./pages/devices/devices-page.tsx')),
    nav: { label: t.shell.devices, icon: 'device', place: 'main' },
  },
  { path: '/devices/:id/:sheet?/:detail?', page: lazy(() => import('./pages/device/device-page.tsx')) },
  {
    path: '/geofences/:id?/:action?',
    page: lazy(() => import('./pages/geofences/geofences-page.tsx')),
    nav: { label: t.shell.geofences, icon: 'fence', place: 'main' },
  },
  { path: '/notifications/triggers/new', page: lazy(() => import('./pages/notifications/trigger-page.tsx')) },
  { path: '/notifications/triggers/:device/:id', page: lazy(() => import('./pages/notifications/trigger-page.tsx')) },
  { path: '/notifications/triggers', page: lazy(() => import('./pages/notifications/notifications-page.tsx')) },
  { path: '/notifications/:id', page: lazy(() => import('./pages/notifications/notification-page.tsx')) },
  {
    path: '/notifications',
    page: lazy(() => import('./pages/notifications/notifications-page.tsx')),
    nav: { label: t.shell.notifications, icon: 'bell', place: 'main' },
  },
];
