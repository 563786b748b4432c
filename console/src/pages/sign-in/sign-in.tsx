import { type FormEvent, useState } from 'react';
import { Redirect, useSearch } from 'wouter';
import { isRefusal } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { signIn } from '../../api/signing.ts';
import css from '../../shell/door.module.css';
import { Door } from '../../shell/door.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';

export default function SignIn() {
  const { session, hasExpired } = useSession();
  const next = new URLSearchParams(useSearch()).get('next');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [stays, setStays] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (session) return <Redirect to={addressWithin(next)} replace />;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(name.trim(), password, stays);
    } catch (error) {
      setProblem(explained(error));
      setBusy(false);
    }
  };
  return (
    <Door title={t.signing.title}>
      <form className={css.form} onSubmit={submit}>
        {hasExpired && !problem && <Notice tone="warn">{t.signing.expired}</Notice>}
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField
          label={t.signing.name}
          value={name}
          onChange={setName}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
        />
        <TextField
          label={t.signing.password}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        <Checkbox label={t.signing.stays} hint={t.signing.staysHint} isOn={stays} onChange={setStays} />
        <Button kind="primary" type="submit" fills isBusy={isBusy}>
          {t.signing.submit}
        </Button>
      </form>
    </Door>
  );
}

function explained(error: unknown): string {
  if (isRefusal(error) && error.status === 401) return t.signing.failed;
  if (isRefusal(error) && error.status === 429) return t.signing.tooMany(error.retryAfter ?? 60);
  return problemOf(error);
}

/** Only an address of this console is gone to: `//elsewhere` is none. */
const addressWithin = (next: string | null) => (next && /^\/(?![/\\])/.test(next) ? next : '/');
