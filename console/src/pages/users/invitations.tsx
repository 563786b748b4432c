import { useState } from 'react';
import {
  type Invitation,
  useInvitations,
  useResendInvitation,
  useRevokeInvitation,
} from '../../api/accounts/account-mail.ts';
import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Card } from '../../ui/page.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './users.module.css';

const words = t.byMail;

/** Open invitations; renders nothing if there are none. */
export function Invitations() {
  const { data: invitations = [] } = useInvitations();
  if (invitations.length === 0) return null;
  return (
    <Card title={words.invitations} isFlush>
      <ul className={css.list}>
        {invitations.map((one) => (
          <InvitationRow key={one.id} invitation={one} />
        ))}
      </ul>
    </Card>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { id, email, name, admin, origin, expires } = invitation;
  const [resend, revoke] = [useResendInvitation(), useRevokeInvitation()];
  const [isRevoking, setRevoking] = useState(false);
  const hasExpired = Date.parse(expires) <= Date.now();
  const report = async (work: Promise<unknown>, done: string) => {
    try {
      await work;
      toast({ text: done, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li>
      <span className={css.who}>
        <strong>{name ?? email}</strong>
        {name && <span className={css.mail}>{email}</span>}
        <span className={css.mail}>
          {hasExpired ? words.expired : words.expires} {date(expires)}
        </span>
      </span>
      <span className={css.badges}>
        {admin && <Badge tone="info">{t.users.admin}</Badge>}
        {origin === 'share' && <Badge>{words.fromShare}</Badge>}
      </span>
      <Button
        size="small"
        aria-label={words.resendTo({ email })}
        isBusy={resend.isPending}
        onClick={() => void report(resend.mutateAsync({ id }), words.invited({ email }))}
      >
        {words.resend}
      </Button>
      <IconButton icon="close" label={words.revoke({ email })} onClick={() => setRevoking(true)} />
      {isRevoking && (
        <ConfirmDialog
          title={words.revokeTitle({ email })}
          action={words.revokeAction}
          onConfirm={() => void report(revoke.mutateAsync({ id }), words.revoked({ email }))}
          onClose={() => setRevoking(false)}
          isBusy={revoke.isPending}
        >
          {words.revokeText}
        </ConfirmDialog>
      )}
    </li>
  );
}
