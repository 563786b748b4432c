import { WebAuthnError } from '@simplewebauthn/browser';
import { useState } from 'react';
import { createPasskey } from '../../api/accounts/security.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';
import { PasswordProof } from './password-proof.tsx';
import { needsPassword } from './proof.ts';

const words = t.security;

export function PasskeyDialog({
  hasPassword,
  onMade,
  onClose,
}: {
  hasPassword: boolean;
  /** With recovery codes if this is the first second factor. */
  onMade: (codes: readonly string[] | null) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState<string>(words.usualName);
  const [password, setPassword] = useState('');
  const [asksPassword, setAsks] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      onMade((await createPasskey(name.trim(), asksPassword ? { password } : {})).recoveryCodes);
    } catch (error) {
      if (needsPassword(error)) setAsks(true);
      else setProblem(passkeyProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={words.passkeyTitle}
      onClose={onClose}
      onSubmit={() => void submit()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={asksPassword && !hasPassword}>
            {words.create}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <p>{words.passkeyText}</p>
        <TextField
          label={words.passkeyName}
          hint={words.passkeyNameHint}
          value={name}
          onChange={setName}
          maxLength={100}
          required
          autoFocus
        />
        {asksPassword && <PasswordProof hasPassword={hasPassword} password={password} onChange={setPassword} />}
      </FieldStack>
    </Dialog>
  );
}

function passkeyProblem(error: unknown): string {
  if (error instanceof WebAuthnError)
    return error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED' ? words.passkeyKnown : words.passkeyCancelled;
  if (error instanceof DOMException && error.name === 'NotAllowedError') return words.passkeyCancelled;
  return problemOf(error);
}
