import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';

export function NotFound() {
  return (
    <Page title={t.shell.notFound}>
      <EmptyState
        icon="search"
        title={t.shell.notFoundHint}
        action={
          <ButtonLink href="/" kind="primary" icon="map">
            {t.shell.toMap}
          </ButtonLink>
        }
      />
    </Page>
  );
}
