import { SESSION_ROUTES } from '@trackway/contract/resources/accounts/browser-session.ts';
import { type FormEvent, useState } from 'react';
import { Link, Redirect, useSearch } from 'wouter';
import { askPasskey, passkeysWork } from '../../api/accounts/security.ts';
import { isRefusal } from '../../api/client.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { useSession } from '../../api/session.ts';
import { signIn } from '../../api/signing.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { Waiting } from '../../shell/waiting.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { CodeStep } from './code-step.tsx';

export default function SignIn() {
  const { session, hasExpired, isKnown } = useSession();
  const search = new URLSearchParams(useSearch());
  const next = addressWithin(search.get('next'));
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [stays, setStays] = useState(false);
  const [isBusy, setBusy] = useState<'password' | 'passkey'>();
  const [problem, setProblem] = useState<string | undefined>(openidProblem(search.get('problem')));
  /** The available second factors; absent before the second step. */
  const [ways, setWays] = useState<readonly string[] | undefined>(search.get('step')?.split(','));
  /** Whether the first step was done at an OpenID provider. */
  const [isFromProvider, setFromProvider] = useState(search.has('step'));
  const info = useServerInfo();
  if (session) return <Redirect to={next} replace />;
  if (!isKnown) return <Waiting />;
  if (info.data?.needsSetup) return <NeedsSetUp onDone={() => void info.refetch()} isBusy={info.isFetching} />;

  const attempt = async (kind: 'password' | 'passkey', act: () => Promise<void>) => {
    setBusy(kind);
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      const needed = waysNeeded(error);
      if (needed) setWays(needed);
      else setProblem(explained(error));
      setBusy(undefined);
    }
  };
  const credentials = isFromProvider ? { openid: true } : { username: name.trim(), password, remember: stays };
  const hasPasskeys = info.data !== undefined && passkeysWork(info.data.publicUrl) === 'here';
  if (ways)
    return (
      <CodeStep
        ways={ways}
        canUsePasskey={hasPasskeys && ways.includes('passkey')}
        problem={problem}
        isBusy={isBusy}
        onCode={(code) => attempt('password', () => signIn({ ...credentials, code }))}
        onPasskey={() => attempt('passkey', async () => signIn({ ...credentials, passkey: await askPasskey() }))}
        onBack={() => {
          setWays(undefined);
          setFromProvider(false);
          setProblem(undefined);
        }}
      />
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt('password', () => signIn(credentials));
  };
  return (
    <SignInFrame title={t.signing.title}>
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
        <Button kind="primary" type="submit" fills isBusy={isBusy === 'password'}>
          {t.signing.submit}
        </Button>
        {hasPasskeys && (
          <Button
            icon="key"
            fills
            isBusy={isBusy === 'passkey'}
            onClick={() =>
              void attempt('passkey', async () => signIn({ passkey: await askPasskey(), remember: stays }))
            }
          >
            {t.signing.passkey}
          </Button>
        )}
        {info.data?.openidButton && (
          <Button icon="lock" fills onClick={() => location.assign(providerAddress(next, stays))}>
            {info.data.openidButton}
          </Button>
        )}
        <Link href="/forgot" className={css.aside}>
          {t.byMail.forgot}
        </Link>
      </form>
    </SignInFrame>
  );
}

/** Before the first account exists, signing in is impossible. */
function NeedsSetUp({ onDone, isBusy }: { onDone: () => void; isBusy: boolean }) {
  return (
    <SignInFrame title={t.signing.needsSetup} lead={t.signing.needsSetupText}>
      <div className={css.form}>
        <Button fills icon="refresh" isBusy={isBusy} onClick={onDone}>
          {t.signing.needsSetupDone}
        </Button>
      </div>
    </SignInFrame>
  );
}

function waysNeeded(error: unknown): readonly string[] | undefined {
  if (!isRefusal(error) || error.code !== 'SECOND_FACTOR_REQUIRED') return undefined;
  return (error.details as { ways?: readonly string[] } | undefined)?.ways ?? [];
}

function explained(error: unknown): string {
  if (isRefusal(error) && error.code === 'SECOND_FACTOR_FAILED') return t.signing.wrongCode;
  if (isRefusal(error) && error.code === 'PASSWORD_NOT_USED') return t.signing.passwordNotUsed;
  if (isRefusal(error) && error.status === 401) return t.signing.failed;
  if (isRefusal(error) && error.status === 429) return t.signing.tooMany({ seconds: error.retryAfter ?? 60 });
  // The browser throws this if the viewer cancelled, or has no passkey for this server.
  if (error instanceof Error && error.name === 'NotAllowedError') return t.signing.noPasskey;
  return problemOf(error);
}

const providerAddress = (next: string, stays: boolean) =>
  `${SESSION_ROUTES.openid}?${new URLSearchParams({ next, remember: String(stays) })}`;

/** The provider's callback returns a code for the error. */
function openidProblem(word: string | null): string | undefined {
  if (word === null) return undefined;
  const known = t.signing.openid as Readonly<Record<string, string>>;
  return (Object.hasOwn(known, word) ? known[word] : undefined) ?? t.signing.openid.failed;
}

/** Only addresses of this console are allowed, unlike `//elsewhere`. */
const addressWithin = (next: string | null) => (next && /^\/(?![/\\])/.test(next) ? next : '/');
