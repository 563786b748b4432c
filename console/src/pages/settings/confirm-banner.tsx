import { useSendConfirmation } from '../../api/accounts/account-mail.ts';
import type { User } from '../../api/accounts/users.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.byMail;

/** Shows an unconfirmed e-mail address, and offers to send the link again. */
export function ConfirmBanner({ me }: { me: User }) {
  const send = useSendConfirmation();
  const canMail = useServerInfo().data?.channels.email === true;
  const address = me.newEmail ?? (me.emailConfirmedAt === null ? me.email : undefined);
  if (address === undefined) return null;
  const again = async () => {
    try {
      await send.mutateAsync({ id: me.id });
      toast({ text: words.sent({ email: address }), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Notice
      tone="warn"
      action={
        canMail && (
          <Button size="small" isBusy={send.isPending} onClick={() => void again()}>
            {words.sendAgain}
          </Button>
        )
      }
    >
      {me.newEmail ? words.waiting({ email: address }) : words.unconfirmed({ email: address })}
    </Notice>
  );
}
