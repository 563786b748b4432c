import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useRequestReset } from '../../api/accounts/account-mail.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { Done } from './done.tsx';

const words = t.byMail;

export default function ForgotPage() {
  const request = useRequestReset();
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate({ body: { email: email.trim() } });
  };
  if (request.isSuccess)
    return (
      <Done
        title={words.forgotSent}
        text={words.forgotSentText({ email: email.trim() })}
        action={words.toSignIn}
        href="/sign-in"
      />
    );
  return (
    <SignInFrame title={words.forgot} lead={words.forgotLead}>
      <form className={css.form} onSubmit={submit}>
        {request.error && <Notice tone="danger">{problemOf(request.error)}</Notice>}
        <TextField
          label={words.email}
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          required
          autoFocus
        />
        <Button kind="primary" type="submit" fills isBusy={request.isPending}>
          {words.forgotSubmit}
        </Button>
        <Link href="/sign-in" className={css.aside}>
          {words.toSignIn}
        </Link>
      </form>
    </SignInFrame>
  );
}
