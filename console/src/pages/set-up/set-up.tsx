import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { setUp } from '../../api/signing.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';

/** The token follows the # of the link, so that it is never sent to a server or logged. */
const tokenOfLink = () => location.hash.slice(1);

export default function SetUp() {
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(tokenOfLink() === '' ? t.signing.noToken : undefined);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await setUp(tokenOfLink(), email.trim(), password);
      navigate('/start', { replace: true });
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <SignInFrame title={t.signing.setupTitle} lead={t.signing.setupLead}>
      <form className={css.form} onSubmit={submit}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField
          label={t.signing.email}
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          required
          autoFocus
        />
        <TextField
          label={t.signing.newPassword}
          hint={t.signing.newPasswordHint}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          minLength={8}
          required
        />
        <Button kind="primary" type="submit" fills isBusy={isBusy}>
          {t.signing.setupSubmit}
        </Button>
      </form>
    </SignInFrame>
  );
}
