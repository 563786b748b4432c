import { useState } from 'react';
import { useResetSecondFactor } from '../../api/accounts/security.ts';
import type { User } from '../../api/accounts/users.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { nameOf } from './name-of.ts';

const words = t.serviceAccounts;

/** Resets the second factor of a user who lost it. */
export function ResetFactor({ user }: { user: User }) {
  const reset = useResetSecondFactor();
  const [asks, setAsks] = useState(false);
  const confirm = async () => {
    try {
      await reset.mutateAsync({ id: user.id });
      toast({ text: words.resetDone, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setAsks(false);
  };
  return (
    <>
      <Button icon="lock" onClick={() => setAsks(true)}>
        {words.resetFactor}
      </Button>
      {asks && (
        <ConfirmDialog
          title={words.resetTitle({ name: nameOf(user) })}
          action={words.resetFactor}
          isBusy={reset.isPending}
          onConfirm={() => void confirm()}
          onClose={() => setAsks(false)}
        >
          {words.resetText}
        </ConfirmDialog>
      )}
    </>
  );
}
