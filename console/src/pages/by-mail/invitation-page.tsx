import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { acceptInvitation } from '../../api/signing.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { tokenOfLink } from './link-token.ts';

const words = t.byMail;

export default function InvitationPage() {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [token] = useState(tokenOfLink);
  const [problem, setProblem] = useState(token === '' ? words.noToken : undefined);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await acceptInvitation(token, password, name.trim());
      navigate('/', { replace: true });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <SignInFrame title={words.accept} lead={words.acceptLead}>
      <form className={css.form} onSubmit={submit}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField label={words.name} value={name} onChange={setName} maxLength={200} autoComplete="name" autoFocus />
        <TextField
          label={words.newPassword}
          hint={words.newPasswordHint}
          type="password"
          value={password}
          onChange={setPassword}
          minLength={MIN_PASSWORD}
          autoComplete="new-password"
          required
        />
        <Button kind="primary" type="submit" fills isBusy={isBusy}>
          {words.acceptSubmit}
        </Button>
      </form>
    </SignInFrame>
  );
}
