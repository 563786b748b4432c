import { lazy, type ReactNode, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { useMe } from '../api/accounts/users.ts';
import { keyOf, readAnew } from '../api/calls.ts';
import { queryClient } from '../api/client.ts';
import { useLive, useLiveStatus } from '../api/live/live.ts';
import { useUnread } from '../api/notifications.ts';
import { signOut } from '../api/signing.ts';
import { prefer, usePreferences } from '../preferences.ts';
import { t } from '../texts/t.ts';
import { classes } from '../ui/class-names.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { useChosenSpeech } from './follow-user.ts';
import { useShortcuts } from './palette/use-shortcuts.ts';
import css from './shell.module.css';
import { StoreWarning } from './store-warning.tsx';

const Palette = lazy(() => import('./palette/palette.tsx'));
const KeysDialog = lazy(() => import('./palette/keys-dialog.tsx'));

/** Where a page stands in the navigation. */
export interface NavEntry {
  readonly label: string;
  readonly icon: IconName;
  /** `main`: always in sight; `more`: in the menu. */
  readonly place: 'main' | 'more';
  readonly isForAdmins?: boolean;
}

type Entry = NavEntry & { readonly href: string };

/** The frame of every page: a rail at the side of a laptop, a bar at the foot of a phone. */
export function Shell({ navigation, children }: { navigation: readonly Entry[]; children: ReactNode }) {
  const me = useMe().data;
  useChosenSpeech();
  const [location] = useLocation();
  const { opened, open } = useShortcuts();
  const isAway = useLiveStatus() === 'away';
  const entries = navigation.filter(({ isForAdmins }) => !isForAdmins || me?.admin);
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        {t.shell.skip}
      </a>
      <nav className={css.nav} aria-label={t.shell.navigation}>
        <Link href="/" className={css.brand} aria-label={t.shell.product}>
          <img src="/pages/icon.svg" alt="" width={30} height={30} />
        </Link>
        {entries
          .filter(({ place }) => place === 'main')
          .map((entry) => (
            <Link
              key={entry.href}
              href={entry.href}
              className={classes(css.entry, isAt(location, entry.href) && css.active)}
              aria-current={isAt(location, entry.href) ? 'page' : undefined}
            >
              <Icon name={entry.icon} size={22} />
              <span>{entry.label}</span>
              {entry.href === '/notifications' && <UnreadBadge />}
            </Link>
          ))}
        <span className={css.gap} />
        <MoreMenu entries={entries} location={location} name={me?.name || me?.email} onOpen={open} />
      </nav>
      <main id="content" className={css.content} tabIndex={-1}>
        {isAway && (
          <div className={css.away} role="status">
            {t.shell.away}
          </div>
        )}
        {me?.admin && <StoreWarning />}
        {children}
      </main>
      <Suspense fallback={null}>
        {opened === 'palette' && <Palette pages={entries} onClose={() => open(undefined)} />}
        {opened === 'help' && <KeysDialog pages={entries} onClose={() => open(undefined)} />}
      </Suspense>
    </div>
  );
}

/** How many notifications are unread, as it changes. */
function UnreadBadge() {
  const { data } = useUnread();
  const anew = () => void readAnew(['getUnreadNotifications']);
  useLive('notification', anew);
  useLive('retraction', anew);
  useLive('unread', (unread) => queryClient.setQueryData(keyOf('getUnreadNotifications', { id: 'me' }), unread));
  useLive('reset', anew);
  if (!data || data.unread === 0) return null;
  return (
    <span className={classes(css.unread, data.critical > 0 && css.critical)} data-testid="unread">
      <span className="unseen">{t.rules.unreadOf(data.unread)}</span>
      <span aria-hidden="true">{t.rules.unread(data.unread)}</span>
    </span>
  );
}

function MoreMenu({
  entries,
  location,
  name,
  onOpen,
}: {
  entries: Entry[];
  location: string;
  name: string | undefined;
  onOpen: (what: 'palette' | 'help') => void;
}) {
  const { theme } = usePreferences();
  const more = entries.filter(({ place }) => place === 'more');
  const items: MenuItem[] = [
    { label: t.shell.find, icon: 'search', onPress: () => onOpen('palette') },
    ...more.map(({ label, icon, href }) => ({ label, icon, href })),
    ...(['system', 'light', 'dark'] as const).map((one, index) => ({
      label: t.shell.themes[one],
      icon: ({ system: 'screen', light: 'sun', dark: 'moon' } as const)[one],
      isOn: theme === one,
      begins: index === 0 && more.length > 0,
      onPress: () => prefer({ theme: one }),
    })),
    { label: t.shell.keys, icon: 'info', begins: true, onPress: () => onOpen('help') },
    { label: t.shell.reference, icon: 'docs', onPress: () => window.open('/docs', '_blank', 'noopener') },
    { label: name ? `${t.shell.signOut} (${name})` : t.shell.signOut, icon: 'signOut', onPress: () => void signOut() },
  ];
  return (
    <Menu
      items={items}
      label={t.shell.more}
      opens="side"
      button={(props) => (
        <button
          type="button"
          {...props}
          className={classes(css.entry, more.some(({ href }) => isAt(location, href)) && css.active)}
        >
          <Icon name="menu" size={22} />
          <span>{t.shell.more}</span>
        </button>
      )}
    />
  );
}

const isAt = (location: string, href: string) =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
