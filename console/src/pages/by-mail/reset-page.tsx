import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { type FormEvent, useState } from 'react';
import { useResetPassword } from '../../api/accounts/account-mail.ts';
import { endSession } from '../../api/session.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { Done } from './done.tsx';
import { tokenOfLink } from './link-token.ts';

const words = t.byMail;

export default function ResetPage() {
  const reset = useResetPassword();
  const [newPassword, setPassword] = useState('');
  const [token] = useState(tokenOfLink);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The session of this browser ends together with all others.
    reset.mutate({ body: { token, newPassword } }, { onSuccess: () => endSession() });
  };
  const problem = token === '' ? words.noToken : reset.error && problemOf(reset.error);
  if (reset.isSuccess)
    return <Done title={words.resetDone} text={words.resetDoneText} action={words.toSignIn} href="/sign-in" />;
  return (
    <SignInFrame title={words.reset} lead={words.resetLead}>
      <form className={css.form} onSubmit={submit}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField
          label={words.newPassword}
          hint={words.newPasswordHint}
          type="password"
          value={newPassword}
          onChange={setPassword}
          minLength={MIN_PASSWORD}
          autoComplete="new-password"
          required
          autoFocus
        />
        <Button kind="primary" type="submit" fills isBusy={reset.isPending}>
          {words.resetSubmit}
        </Button>
      </form>
    </SignInFrame>
  );
}
