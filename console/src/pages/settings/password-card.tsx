import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { type FormEvent, useState } from 'react';
import { useChangePassword } from '../../api/accounts/users.ts';
import { useFreshSignIn } from '../../forms/security/confirm-sign-in.tsx';
import { needsPassword } from '../../forms/security/proof.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.settings;

export function PasswordCard() {
  const change = useChangePassword();
  const fresh = useFreshSignIn();
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const [again, setAgain] = useState('');
  const differs = again !== '' && again !== newPassword;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (differs) return;
    try {
      await fresh.run(async () => {
        await change.mutateAsync({ body: { oldPassword, newPassword } });
        for (const empty of [setOld, setNew, setAgain]) empty('');
        toast({ text: words.changed, tone: 'good' });
      });
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <Card title={words.password}>
      <form onSubmit={save}>
        <FieldStack>
          {change.error && !needsPassword(change.error) && <Notice tone="danger">{problemOf(change.error)}</Notice>}
          <TextField
            label={words.oldPassword}
            type="password"
            value={oldPassword}
            onChange={setOld}
            autoComplete="current-password"
            required
          />
          <TextField
            label={words.newPassword}
            hint={words.newPasswordHint}
            type="password"
            value={newPassword}
            onChange={setNew}
            minLength={MIN_PASSWORD}
            autoComplete="new-password"
            required
          />
          <TextField
            label={words.again}
            problem={differs ? words.differs : undefined}
            type="password"
            value={again}
            onChange={setAgain}
            autoComplete="new-password"
            required
          />
          <div>
            <Button type="submit" isBusy={change.isPending}>
              {words.change}
            </Button>
          </div>
        </FieldStack>
      </form>
      {fresh.dialog}
    </Card>
  );
}
