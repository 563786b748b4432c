import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { keyOf, readAnew } from '../api/calls.ts';
import { queryClient } from '../api/client.ts';
import { useLive } from '../api/live/live.ts';
import { useUnread } from '../api/notifications.ts';
import { signOut } from '../api/signing.ts';
import { atMost999 } from '../format/quantities.ts';
import { prefer, usePreferences } from '../preferences.ts';
import { t } from '../texts/t.ts';
import { classes } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import css from './navigation.module.css';

const SECTIONS = ['track', 'fleet', 'developer', 'admin'] as const;

/** The place of a page in the navigation. */
export interface NavEntry {
  readonly label: string;
  readonly icon: IconName;
  readonly section: (typeof SECTIONS)[number] | 'account';
  /** Also in the bar at the bottom of a phone. */
  readonly isMain?: boolean;
  readonly isForAdmins?: boolean;
}

export type Entry = NavEntry & { readonly href: string };

interface NavigationProps {
  readonly entries: readonly Entry[];
  /** The name of the signed-in user. */
  readonly name: string | undefined;
  readonly onOpen: (what: 'palette' | 'help') => void;
}

/** A sidebar on a laptop. On a phone, a bar at the bottom with the main entries; a sheet has all of them. */
export function Navigation({ entries, name, onOpen }: NavigationProps) {
  const [location] = useLocation();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const isElsewhere = !entries.some(({ isMain, href }) => isMain && isAt(location, href));
  return (
    <nav className={css.nav} aria-label={t.shell.navigation}>
      <div className={css.top}>
        <Link href="/" className={css.brand}>
          <img src="/pages/icon.svg" alt="" width={26} height={26} />
          {t.shell.product}
        </Link>
        <button type="button" className={css.entry} onClick={() => onOpen('palette')}>
          <Icon name="search" size={18} />
          <span>{t.shell.find}</span>
        </button>
      </div>
      <div className={css.sections}>
        <Sections entries={entries} />
      </div>
      <div className={css.account}>
        <Menu
          items={accountItems(entries, onOpen, usePreferences().theme)}
          label={t.shell.account}
          opens="up-right"
          button={(props) => (
            <button type="button" {...props} className={css.entry} aria-label={accountLabel(name)} title={name}>
              <Icon name="user" size={18} />
              <span>{name ?? t.shell.account}</span>
              <Icon name="up" size={16} />
            </button>
          )}
        />
      </div>
      <button
        type="button"
        className={classes(css.entry, css.more, isElsewhere && css.active)}
        onClick={() => setMoreOpen(true)}
      >
        <Icon name="menu" size={18} />
        <span>{t.shell.more}</span>
      </button>
      {isMoreOpen && <MoreSheet entries={entries} name={name} onOpen={onOpen} onClose={() => setMoreOpen(false)} />}
    </nav>
  );
}

const accountLabel = (name: string | undefined) => (name ? `${t.shell.account}: ${name}` : t.shell.account);

function Sections({ entries, onPress }: { entries: readonly Entry[]; onPress?: () => void }) {
  const [location] = useLocation();
  return SECTIONS.map((section) => {
    const own = entries.filter((entry) => entry.section === section);
    if (own.length === 0) return null;
    return (
      // biome-ignore lint/a11y/useSemanticElements: A fieldset is for the fields of a form.
      <div key={section} role="group" aria-label={t.shell.sections[section]} className={css.section}>
        <div className={css.heading} aria-hidden="true">
          {t.shell.sections[section]}
        </div>
        {own.map(({ href, label, icon, isMain }) => (
          <Link
            key={href}
            href={href}
            onClick={onPress}
            className={classes(css.entry, !isMain && css.minor, isAt(location, href) && css.active)}
            aria-current={isAt(location, href) ? 'page' : undefined}
          >
            <Icon name={icon} size={18} />
            <span>{label}</span>
            {href === '/notifications' && <UnreadBadge />}
          </Link>
        ))}
        {section === 'developer' && (
          <a href="/docs" target="_blank" rel="noopener" onClick={onPress} className={classes(css.entry, css.minor)}>
            <Icon name="docs" size={18} />
            <span>{t.shell.reference}</span>
          </a>
        )}
      </div>
    );
  });
}

/** All entries on a phone, and what the account menu has on a laptop. */
function MoreSheet({ entries, name, onOpen, onClose }: NavigationProps & { onClose: () => void }) {
  const { theme } = usePreferences();
  const items: MenuItem[] = [
    { label: t.shell.find, icon: 'search', onPress: () => onOpen('palette') },
    ...accountItems(entries, onOpen, theme),
  ];
  return (
    <Dialog title={t.shell.more} onClose={onClose}>
      <div className={css.sheet}>
        <Sections entries={entries} onPress={onClose} />
        {/* biome-ignore lint/a11y/useSemanticElements: A fieldset is for the fields of a form. */}
        <div role="group" aria-label={accountLabel(name)} className={css.section}>
          <div className={css.heading} aria-hidden="true">
            {accountLabel(name)}
          </div>
          {items.map(({ label, icon = 'settings', href, isOn, onPress }) =>
            href === undefined ? (
              <button
                key={label}
                type="button"
                className={css.entry}
                aria-pressed={isOn}
                onClick={() => {
                  onClose();
                  onPress?.();
                }}
              >
                <Icon name={icon} size={18} />
                <span>{label}</span>
                {isOn && <Icon name="check" size={16} />}
              </button>
            ) : (
              <Link key={label} href={href} className={css.entry} onClick={onClose}>
                <Icon name={icon} size={18} />
                <span>{label}</span>
              </Link>
            ),
          )}
        </div>
      </div>
    </Dialog>
  );
}

const accountItems = (
  entries: readonly Entry[],
  onOpen: NavigationProps['onOpen'],
  theme: 'system' | 'light' | 'dark',
): MenuItem[] => [
  ...entries.filter(({ section }) => section === 'account').map(({ label, icon, href }) => ({ label, icon, href })),
  ...(['system', 'light', 'dark'] as const).map((one, index) => ({
    label: t.shell.themes[one],
    icon: ({ system: 'screen', light: 'sun', dark: 'moon' } as const)[one],
    isOn: theme === one,
    begins: index === 0,
    onPress: () => prefer({ theme: one }),
  })),
  { label: t.shell.keys, icon: 'info', begins: true, onPress: () => onOpen('help') },
  { label: t.shell.signOut, icon: 'signOut', onPress: () => void signOut() },
];

/** The number of unread notifications, as it changes. */
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
      <span className="unseen">{t.rules.unreadOf({ count: data.unread })}</span>
      <span aria-hidden="true">{atMost999(data.unread)}</span>
    </span>
  );
}

const isAt = (location: string, href: string) =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
