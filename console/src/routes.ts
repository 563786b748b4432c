import { type Door, page } from './doors.ts';
import type { NavEntry } from './shell/navigation.tsx';
import { t } from './texts/t.ts';

interface AppRoute extends Door {
  /** If absent, the page is reached only by links. */
  readonly nav?: NavEntry;
}

export const EnrolPage = page(() => import('./pages/enrol/enrol-page.tsx'));

/**
 * The pages, each loaded when first opened, in the order of the navigation. A page is the default export of its file;
 * the first matching pattern is used.
 */
export const ROUTES: readonly AppRoute[] = [
  {
    path: '/',
    page: page(() => import('./pages/map/map-page.tsx')),
    nav: { label: t.shell.map, icon: 'map', section: 'track', isMain: true },
  },
  { path: '/map', page: page(() => import('./pages/map/place-link.tsx')) },
  { path: '/start', page: page(() => import('./pages/set-up/questions-page.tsx')) },
  { path: '/welcome', page: page(() => import('./pages/welcome/welcome-page.tsx')) },
  {
    path: '/devices',
    page: page(() => import('./pages/devices/devices-page.tsx')),
    nav: { label: t.shell.devices, icon: 'device', section: 'track', isMain: true },
  },
  { path: '/devices/:id/:sheet?/:detail?', page: page(() => import('./pages/device/device-page.tsx')) },
  { path: '/geofences/lists/:id?', page: page(() => import('./pages/geofences/lists/lists-page.tsx')) },
  {
    path: '/geofences/:id?/:action?',
    page: page(() => import('./pages/geofences/geofences-page.tsx')),
    nav: { label: t.shell.geofences, icon: 'fence', section: 'track' },
  },
  { path: '/alerts/new', page: page(() => import('./pages/alerts/alert-page.tsx')) },
  { path: '/alerts/rules/:id', page: page(() => import('./pages/alerts/alert-page.tsx')) },
  { path: '/alerts/:device/:id', page: page(() => import('./pages/alerts/alert-page.tsx')) },
  {
    path: '/alerts',
    page: page(() => import('./pages/alerts/alerts-page.tsx')),
    nav: { label: t.shell.alerts, icon: 'alert', section: 'track', isMain: true },
  },
  { path: '/notifications/triggers/*?', page: page(() => import('./pages/alerts/old-address.tsx')) },
  { path: '/notifications/rules/*?', page: page(() => import('./pages/alerts/old-address.tsx')) },
  { path: '/notifications/:id', page: page(() => import('./pages/notifications/notification-page.tsx')) },
  {
    path: '/notifications',
    page: page(() => import('./pages/notifications/notifications-page.tsx')),
    nav: { label: t.shell.notifications, icon: 'bell', section: 'track', isMain: true },
  },
  {
    path: '/dashboard',
    page: page(() => import('./pages/dashboard/dashboard-page.tsx')),
    nav: { label: t.dashboard.title, icon: 'gauge', section: 'fleet' },
  },
  { path: '/wall', page: page(() => import('./pages/dashboard/wall-page.tsx')) },
  { path: '/reports/saved', page: page(() => import('./pages/reports/saved/saved-page.tsx')) },
  {
    path: '/reports',
    page: page(() => import('./pages/reports/reports-page.tsx')),
    nav: { label: t.shell.reports, icon: 'chart', section: 'fleet' },
  },
  {
    path: '/maintenance',
    page: page(() => import('./pages/maintenance/maintenance-page.tsx')),
    nav: { label: t.maintenance.title, icon: 'wrench', section: 'fleet' },
  },
  {
    path: '/drivers',
    page: page(() => import('./pages/drivers/drivers-page.tsx')),
    nav: { label: t.drivers.title, icon: 'user', section: 'fleet' },
  },
  {
    path: '/groups/:id?',
    page: page(() => import('./pages/groups/groups-page.tsx')),
    nav: { label: t.groups.title, icon: 'layers', section: 'fleet' },
  },
  {
    path: '/plans',
    page: page(() => import('./pages/plans/plans-page.tsx')),
    nav: { label: t.shell.plans, icon: 'plan', section: 'fleet' },
  },
  {
    path: '/links',
    page: page(() => import('./pages/links/links-page.tsx')),
    nav: { label: t.shell.links, icon: 'share', section: 'track' },
  },
  {
    path: '/tokens',
    page: page(() => import('./pages/tokens/tokens-page.tsx')),
    nav: { label: t.shell.tokens, icon: 'key', section: 'developer' },
  },
  {
    path: '/outbox/:sheet?',
    page: page(() => import('./pages/outbox/outbox-page.tsx')),
    nav: { label: t.shell.outbox, icon: 'outbox', section: 'developer' },
  },
  {
    path: '/audit',
    page: page(() => import('./pages/audit/audit-page.tsx')),
    nav: { label: t.shell.audit, icon: 'eye', section: 'developer' },
  },
  {
    path: '/users',
    page: page(() => import('./pages/users/users-page.tsx')),
    nav: { label: t.shell.users, icon: 'users', section: 'admin', isForAdmins: true },
  },
  { path: '/users/:id', page: page(() => import('./pages/users/user-page.tsx')) },
  {
    path: '/channels',
    page: page(() => import('./pages/channels/channels-page.tsx')),
    nav: { label: t.shell.channels, icon: 'send', section: 'admin', isForAdmins: true },
  },
  {
    path: '/health',
    page: page(() => import('./pages/health/health-page.tsx')),
    nav: { label: t.shell.health, icon: 'health', section: 'admin', isForAdmins: true },
  },
  {
    path: '/settings',
    page: page(() => import('./pages/settings/settings-page.tsx')),
    nav: { label: t.shell.settings, icon: 'settings', section: 'account' },
  },
];

/** The entries of the navigation, with their addresses: `/geofences` of `/geofences/:id?`. */
export const NAVIGATION = ROUTES.flatMap(({ path, nav }) =>
  nav ? [{ ...nav, href: path.replace(/\/:.*$/, '') }] : [],
);
