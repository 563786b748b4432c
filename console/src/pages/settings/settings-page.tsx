import { useMe } from '../../api/accounts/users.ts';
import { signOut } from '../../api/signing.ts';
import { SessionsCard } from '../../forms/account/sessions-card.tsx';
import { NetworkCard } from '../../forms/connect/network-switch.tsx';
import { MapCard } from '../../forms/maps/map-card.tsx';
import { DataCard } from '../../forms/personal-data/data-card.tsx';
import { PushSettings } from '../../forms/push/push-settings.tsx';
import { t } from '../../texts/t.ts';
import { Card, Columns, Page, Stack } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { ConfirmBanner } from './confirm-banner.tsx';
import { DisplayCard } from './display-card.tsx';
import { LanguageCard } from './language-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { QuietCard } from './quiet-card.tsx';
import { SecurityCard } from './security-card.tsx';
import { ServerCard } from './server-card.tsx';

/** Account settings, and display settings of this browser. */
export default function SettingsPage() {
  const query = useMe();
  return (
    <Page title={t.settings.title}>
      <Loaded query={query}>
        {(me) => (
          <Columns>
            <Stack>
              <ConfirmBanner me={me} />
              <ProfileCard key={`profile-${me.id}`} me={me} />
              <PasswordCard />
              <SecurityCard />
              <SessionsCard userId={me.id} isOwn />
              <DataCard of={{ kind: 'user', id: me.id, name: me.email }} onErased={() => void signOut()} />
              <ServerCard />
            </Stack>
            <Stack>
              <LanguageCard me={me} />
              <DisplayCard />
              <MapCard />
              <NetworkCard />
              <QuietCard key={`quiet-${me.id}`} me={me} />
              <Card title={t.notifications.push.title}>
                <PushSettings />
              </Card>
            </Stack>
          </Columns>
        )}
      </Loaded>
    </Page>
  );
}
