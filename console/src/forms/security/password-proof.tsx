import { t } from '../../texts/t.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { Notice } from '../../ui/states.tsx';

const words = t.security;

/** Asks for the password if the sign-in is too old; users without a password must sign in again. */
export function PasswordProof({
  hasPassword,
  password,
  onChange,
  autoFocus,
}: {
  hasPassword: boolean;
  password: string;
  onChange: (password: string) => void;
  autoFocus?: boolean;
}) {
  if (!hasPassword) return <Notice tone="warn">{words.noPassword}</Notice>;
  return (
    <TextField
      label={words.password}
      hint={words.freshness}
      type="password"
      value={password}
      onChange={onChange}
      autoComplete="current-password"
      required
      autoFocus={autoFocus}
    />
  );
}
