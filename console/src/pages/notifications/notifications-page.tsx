import { useLocation } from 'wouter';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Feed } from './feed.tsx';
import { PushButton } from './push-button.tsx';
import { TriggerList } from './trigger-list.tsx';

const words = t.notifications;

/** What happened, and what is watched for. */
export default function NotificationsPage() {
  const [location, navigate] = useLocation();
  const active = location.startsWith('/notifications/triggers') ? 'triggers' : 'feed';
  return (
    <Page
      title={words.title}
      actions={
        <>
          <PushButton />
          <ButtonLink href="/notifications/triggers/new" kind="primary" icon="plus">
            {t.triggers.add}
          </ButtonLink>
        </>
      }
    >
      <Tabs
        label={words.tabs}
        active={active}
        onChange={(tab) => navigate(tab === 'triggers' ? '/notifications/triggers' : '/notifications')}
        tabs={[
          { key: 'feed', label: words.feed },
          { key: 'triggers', label: words.triggers },
        ]}
      >
        {active === 'feed' ? <Feed /> : <TriggerList />}
      </Tabs>
    </Page>
  );
}
