import { useEffect, useState } from 'react';
import { useBeginAuthenticator, useConfirmAuthenticator } from '../../api/accounts/security.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { QrCode } from '../../ui/figures/qr-code.tsx';
import { Notice, problemOf, Skeleton } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';
import { PasswordProof } from './password-proof.tsx';
import { needsPassword } from './proof.ts';
import css from './security.module.css';

const words = t.security;

/** Sets up an authenticator app: the password if required, then the QR code, then a code of the app. */
export function AuthenticatorDialog({
  hasPassword,
  onCodes,
  onClose,
}: {
  hasPassword: boolean;
  onCodes: (codes: readonly string[]) => void;
  onClose: () => void;
}) {
  const begin = useBeginAuthenticator();
  const confirm = useConfirmAuthenticator();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: It begins once, when it is opened.
  useEffect(() => begin.mutate({ body: {} }), []);
  const asksPassword = needsPassword(begin.error) || (begin.data === undefined && password !== '');
  const submit = async () => {
    try {
      if (begin.data === undefined) await begin.mutateAsync({ body: { password } });
      else onCodes((await confirm.mutateAsync({ body: { code: code.trim() } })).recoveryCodes);
    } catch {
      // The notice above the fields shows the error.
    }
  };
  const problem = confirm.error ?? (needsPassword(begin.error) ? null : begin.error);
  return (
    <Dialog
      title={words.appTitle}
      onClose={onClose}
      onSubmit={() => void submit()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={begin.isPending || confirm.isPending}
            disabled={asksPassword && !hasPassword}
          >
            {begin.data ? words.confirm : words.create}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problemOf(problem)}</Notice>}
        {asksPassword && (
          <PasswordProof hasPassword={hasPassword} password={password} onChange={setPassword} autoFocus />
        )}
        {begin.data && (
          <>
            <p>{words.appScan}</p>
            <div className={css.scan}>
              <QrCode text={begin.data.uri} label={words.appQr} />
            </div>
            <CopyField label={words.appSecret} value={begin.data.secret} />
            <TextField
              label={words.appCode}
              hint={words.appCodeHint}
              value={code}
              onChange={setCode}
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={7}
              required
              autoFocus
            />
          </>
        )}
        {!begin.data && !asksPassword && !problem && <Skeleton lines={4} />}
      </FieldStack>
    </Dialog>
  );
}
