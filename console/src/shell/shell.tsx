import { lazy, type ReactNode, Suspense } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../api/accounts/users.ts';
import { useLiveStatus } from '../api/live/live.ts';
import { loadMessages, t } from '../texts/t.ts';
import { classes } from '../ui/class-names.ts';
import { useChosenSpeech } from './follow-user.ts';
import { type Entry, Navigation } from './navigation.tsx';
import { useShortcuts } from './palette/use-shortcuts.ts';
import css from './shell.module.css';
import { StoreWarning } from './store-warning.tsx';

const Palette = lazy(() => loadMessages('rest').then(() => import('./palette/palette.tsx')));
const KeysDialog = lazy(() => loadMessages('rest').then(() => import('./palette/keys-dialog.tsx')));

/** The frame of every page. */
export function Shell({ navigation, children }: { navigation: readonly Entry[]; children: ReactNode }) {
  const me = useMe().data;
  useChosenSpeech();
  const { opened, open } = useShortcuts();
  const isAway = useLiveStatus() === 'away';
  const [location] = useLocation();
  const hasNavigation = location !== '/wall';
  const entries = navigation.filter(({ isForAdmins }) => !isForAdmins || me?.admin);
  return (
    <div className={classes(css.shell, !hasNavigation && css.bare)}>
      <a href="#content" className={css.skip}>
        {t.shell.skip}
      </a>
      {hasNavigation && <Navigation entries={entries} name={me?.name || me?.email} onOpen={open} />}
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
