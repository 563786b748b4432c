import { type FormEvent, useState } from 'react';
import { Link, Redirect, useSearch } from 'wouter';
import { isRefusal } from '../../api/client.ts';
import { useServerInfo } from '../../api/server-info.ts';
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
  const info = useServerInfo();
  if (session) return <Redirect to={addressWithin(next)} replace />;
  if (info.data?.needsSetup) return <NeedsSetUp onDone={() => void info.refetch()} isBusy={info.isFetching} />;

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
        <Link href="/forgot" className={css.aside}>
          {t.byMail.forgot}
        </Link>
      </form>
    </Door>
  );
}

/** Before anyone has an account there is nothing to sign in with. */
function NeedsSetUp({ onDone, isBusy }: { onDone: () => void; isBusy: boolean }) {
  return (
    <Door title={t.signing.needsSetup} lead={t.signing.needsSetupText}>
      <div className={css.form}>
        <Button fills icon="refresh" isBusy={isBusy} onClick={onDone}>
          {t.signing.needsSetupDone}
        </Button>
      </div>
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
