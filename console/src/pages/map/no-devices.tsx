import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import css from './map-page.module.css';

/** The map of a user without devices. */
export function NoDevices() {
  return (
    <div className={css.failed}>
      <EmptyState
        icon="pin"
        title={t.welcome.greeting}
        action={
          <ButtonLink href="/welcome" kind="primary" icon="plus">
            {t.welcome.start}
          </ButtonLink>
        }
      >
        {t.welcome.greetingHint}
      </EmptyState>
    </div>
  );
}
