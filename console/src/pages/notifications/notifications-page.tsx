import { useLocation } from 'wouter';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Feed } from './feed.tsx';
import { PushButton } from './push-button.tsx';
import { RuleList } from './rules/rule-list.tsx';
import { TriggerList } from './trigger-list.tsx';

const words = t.notifications;

const TABS = ['triggers', 'rules'] as const;

/** What happened, and what is watched for. */
export default function NotificationsPage() {
  const [location, navigate] = useLocation();
  const active = TABS.find((tab) => location.startsWith(`/notifications/${tab}`)) ?? 'feed';
  return (
    <Page
      title={words.title}
      actions={
        <>
          <PushButton />
          {active === 'rules' ? (
            <ButtonLink href="/notifications/rules/new" kind="primary" icon="plus">
              {t.rules.add}
            </ButtonLink>
          ) : (
            <ButtonLink href="/notifications/triggers/new" kind="primary" icon="plus">
              {t.triggers.add}
            </ButtonLink>
          )}
        </>
      }
    >
      <Tabs
        label={words.tabs}
        active={active}
        onChange={(tab) => navigate(tab === 'feed' ? '/notifications' : `/notifications/${tab}`)}
        tabs={[
          { key: 'feed', label: words.feed },
          { key: 'triggers', label: words.triggers },
          { key: 'rules', label: t.rules.tab },
        ]}
      >
        {active === 'feed' ? <Feed /> : active === 'rules' ? <RuleList /> : <TriggerList />}
      </Tabs>
    </Page>
  );
}
