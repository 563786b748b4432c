import { type FormEvent, useState } from 'react';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice } from '../../ui/states.tsx';

const words = t.signing;

/** The second step of a sign-in: a code, or a passkey. */
export function CodeStep({
  ways,
  canUsePasskey,
  problem,
  isBusy,
  onCode,
  onPasskey,
  onBack,
}: {
  ways: readonly string[];
  canUsePasskey: boolean;
  problem: string | undefined;
  isBusy: 'password' | 'passkey' | undefined;
  onCode: (code: string) => Promise<void>;
  onPasskey: () => Promise<void>;
  onBack: () => void;
}) {
  const [code, setCode] = useState('');
  const hasApp = ways.includes('app');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onCode(code);
  };
  return (
    <SignInFrame title={words.codeTitle} lead={hasApp ? words.codeLead : words.codeLeadPasskey}>
      <form className={css.form} onSubmit={submit}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        {canUsePasskey && (
          <Button
            kind={hasApp ? 'plain' : 'primary'}
            icon="key"
            fills
            isBusy={isBusy === 'passkey'}
            onClick={() => void onPasskey()}
          >
            {words.usePasskey}
          </Button>
        )}
        <TextField
          label={hasApp ? words.code : words.recoveryCode}
          hint={hasApp ? words.codeHint : undefined}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
          autoFocus
        />
        <Button kind={hasApp ? 'primary' : 'plain'} type="submit" fills isBusy={isBusy === 'password'}>
          {words.submit}
        </Button>
        <Button kind="quiet" icon="back" fills onClick={onBack}>
          {words.back}
        </Button>
      </form>
    </SignInFrame>
  );
}
