import { useState } from 'react';
import { useLocation } from 'wouter';
import { type User, useDeleteUser, useMe, useUser } from '../../api/accounts/users.ts';
import { date } from '../../format/times.ts';
import { SessionsCard } from '../../forms/account/sessions-card.tsx';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Card, Facts, Page, Stack } from '../../ui/page.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { nameOf } from './name-of.ts';
import { ResetFactor } from './reset-factor.tsx';
import { ServiceForm } from './service-form.tsx';
import { ServiceTokens } from './service-tokens.tsx';
import { UserCredits } from './user-credits.tsx';
import { UserDevices } from './user-devices.tsx';
import { UserForm } from './user-form.tsx';

const words = t.users;

/** One user, for admins: profile, devices, and shares. */
export default function UserPage({ params }: { params: { id: string } }) {
  const query = useUser(Number(params.id));
  const user = query.data;
  return (
    <Page
      title={user ? nameOf(user) : words.title}
      lead={user?.name ? user.email : undefined}
      back={{ href: '/users', label: words.back }}
      actions={user && <Actions user={user} />}
    >
      <Loaded query={query}>
        {(one) => (
          <Stack>
            <Card>
              <Facts
                facts={[
                  [words.username, one.username],
                  [
                    words.columns.role,
                    <Badge key="role" tone={one.admin ? 'info' : 'plain'}>
                      {one.admin ? words.admin : one.kind === 'service' ? t.serviceAccounts.service : words.ordinary}
                    </Badge>,
                  ],
                  [words.columns.created, date(one.created)],
                  [words.timeZone, one.timeZone],
                  [words.quietHours, one.quietHours && `${one.quietHours.from}–${one.quietHours.to}`],
                ]}
              />
            </Card>
            {one.kind === 'service' && <ServiceTokens user={one} />}
            <UserDevices user={one} />
            <UserCredits user={one} />
            <SessionsCard userId={one.id} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ user }: { user: User }) {
  const me = useMe().data;
  const [, navigate] = useLocation();
  const remove = useDeleteUser();
  const [asks, setAsks] = useState<'edit' | 'delete'>();
  const confirm = async () => {
    try {
      await remove.mutateAsync({ id: user.id });
      toast({ text: words.deleted({ name: nameOf(user) }) });
      navigate('/users');
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      setAsks(undefined);
    }
  };
  return (
    <>
      {user.id === me?.id ? (
        <ButtonLink href="/settings" icon="edit">
          {words.edit}
        </ButtonLink>
      ) : (
        <Button icon="edit" onClick={() => setAsks('edit')}>
          {words.edit}
        </Button>
      )}
      {user.id !== me?.id && (
        <Button icon="trash" onClick={() => setAsks('delete')}>
          {words.delete}
        </Button>
      )}
      {user.id !== me?.id && user.kind === 'person' && <ResetFactor user={user} />}
      {asks === 'edit' &&
        (user.kind === 'service' ? (
          <ServiceForm user={user} onClose={() => setAsks(undefined)} />
        ) : (
          <UserForm user={user} onClose={() => setAsks(undefined)} />
        ))}
      {asks === 'delete' && (
        <ConfirmDialog
          title={words.deleteTitle({ name: nameOf(user) })}
          action={words.delete}
          onConfirm={() => void confirm()}
          onClose={() => setAsks(undefined)}
          isBusy={remove.isPending}
        >
          {words.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
