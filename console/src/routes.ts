import { type ComponentType, lazy } from 'react';
import type { NavEntry } from './shell/shell.tsx';
import { t } from './texts/t.ts';

export interface AppRoute {
  /** A pattern of wouter: `/devices/:id`. */
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: Pages without parameters take none, others theirs.
  readonly page: ComponentType<any>;
  /** Absent: reached by links alone. */
  readonly nav?: NavEntry;
}

export const SignInPage = lazy(() => import('./pages/sign-in/sign-in.tsx'));
export const EnrolPage = lazy(() => import('./pages/enrol/enrol-page.tsx'));
export const SetUpPage = lazy(() => import('./pages/set-up/set-up.tsx'));

/** The pages before the sign-in that links in mails lead to. */
export const DOORS: readonly AppRoute[] = [
  { path: '/forgot', page: lazy(() => import('./pages/by-mail/forgot-page.tsx')) },
  { path: '/reset', page: lazy(() => import('./pages/by-mail/reset-page.tsx')) },
  { path: '/confirm', page: lazy(() => import('./pages/by-mail/confirm-page.tsx')) },
  { path: '/invitation', page: lazy(() => import('./pages/by-mail/invitation-page.tsx')) },
  { path: '/mail', page: lazy(() => import('./pages/by-mail/answer-page.tsx')) },
];

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
  { path: '/map', page: lazy(() => import('./pages/map/place-link.tsx')) },
  { path: '/welcome', page: lazy(() => import('./pages/welcome/welcome-page.tsx')) },
  {
    path: '/devices',
    page: lazy(() => import('./pages/devices/devices-page.tsx')),
    nav: { label: t.shell.devices, icon: 'device', place: 'main' },
  },
  { path: '/devices/:id/:sheet?/:detail?', page: lazy(() => import('./pages/device/device-page.tsx')) },
  { path: '/geofences/lists/:id?', page: lazy(() => import('./pages/geofences/lists/lists-page.tsx')) },
  {
    path: '/geofences/:id?/:action?',
    page: lazy(() => import('./pages/geofences/geofences-page.tsx')),
    nav: { label: t.shell.geofences, icon: 'fence', place: 'main' },
  },
  { path: '/notifications/rules/:id', page: lazy(() => import('./pages/notifications/rules/rule-page.tsx')) },
  { path: '/notifications/rules', page: lazy(() => import('./pages/notifications/notifications-page.tsx')) },
  { path: '/notifications/triggers/new', page: lazy(() => import('./pages/notifications/trigger-page.tsx')) },
  { path: '/notifications/triggers/:device/:id', page: lazy(() => import('./pages/notifications/trigger-page.tsx')) },
  { path: '/notifications/triggers', page: lazy(() => import('./pages/notifications/notifications-page.tsx')) },
  { path: '/notifications/:id', page: lazy(() => import('./pages/notifications/notification-page.tsx')) },
  {
    path: '/notifications',
    page: lazy(() => import('./pages/notifications/notifications-page.tsx')),
    nav: { label: t.shell.notifications, icon: 'bell', place: 'main' },
  },
  {
    path: '/dashboard',
    page: lazy(() => import('./pages/dashboard/dashboard-page.tsx')),
    nav: { label: t.dashboard.title, icon: 'gauge', place: 'more' },
  },
  { path: '/reports/saved', page: lazy(() => import('./pages/reports/saved/saved-page.tsx')) },
  {
    path: '/reports',
    page: lazy(() => import('./pages/reports/reports-page.tsx')),
    nav: { label: t.shell.reports, icon: 'gauge', place: 'more' },
  },
  {
    path: '/maintenance',
    page: lazy(() => import('./pages/maintenance/maintenance-page.tsx')),
    nav: { label: t.maintenance.title, icon: 'wrench', place: 'more' },
  },
  {
    path: '/drivers',
    page: lazy(() => import('./pages/drivers/drivers-page.tsx')),
    nav: { label: t.drivers.title, icon: 'user', place: 'more' },
  },
  {
    path: '/groups/:id?',
    page: lazy(() => import('./pages/groups/groups-page.tsx')),
    nav: { label: t.groups.title, icon: 'layers', place: 'more' },
  },
  {
    path: '/plans',
    page: lazy(() => import('./pages/plans/plans-page.tsx')),
    nav: { label: t.shell.plans, icon: 'plan', place: 'more' },
  },
  {
    path: '/links',
    page: lazy(() => import('./pages/links/links-page.tsx')),
    nav: { label: t.shell.links, icon: 'share', place: 'more' },
  },
  {
    path: '/tokens',
    page: lazy(() => import('./pages/tokens/tokens-page.tsx')),
    nav: { label: t.shell.tokens, icon: 'key', place: 'more' },
  },
  {
    path: '/outbox/:sheet?',
    page: lazy(() => import('./pages/outbox/outbox-page.tsx')),
    nav: { label: t.shell.outbox, icon: 'outbox', place: 'more' },
  },
  {
    path: '/audit',
    page: lazy(() => import('./pages/audit/audit-page.tsx')),
    nav: { label: t.shell.audit, icon: 'eye', place: 'more' },
  },
  {
    path: '/users',
    page: lazy(() => import('./pages/users/users-page.tsx')),
    nav: { label: t.shell.users, icon: 'users', place: 'more', isForAdmins: true },
  },
  { path: '/users/:id', page: lazy(() => import('./pages/users/user-page.tsx')) },
  {
    path: '/health',
    page: lazy(() => import('./pages/health/health-page.tsx')),
    nav: { label: t.shell.health, icon: 'health', place: 'more', isForAdmins: true },
  },
  {
    path: '/settings',
    page: lazy(() => import('./pages/settings/settings-page.tsx')),
    nav: { label: t.shell.settings, icon: 'settings', place: 'more' },
  },
];

/** The entries of the navigation, with the address each leads to: `/geofences` of `/geofences/:id?`. */
export const NAVIGATION = ROUTES.flatMap(({ path, nav }) =>
  nav ? [{ ...nav, href: path.replace(/\/:.*$/, '') }] : [],
);
