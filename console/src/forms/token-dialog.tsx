import { type ReactNode, useState } from 'react';
import { t } from '../texts/t.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CopyField } from '../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../ui/fields/field.tsx';
import { Notice, problemOf } from '../ui/states.tsx';
import { words as common } from '../ui/words.ts';
import { needsPassword, proofOf } from './security/proof.ts';

const words = t.tokens;
const DAY_S = 86_400;
const LIVES = { week: 7 * DAY_S, month: 30 * DAY_S, quarter: 90 * DAY_S, year: 365 * DAY_S, never: 0 } as const;
type Life = keyof typeof LIVES;

export interface NewToken {
  readonly description: string;
  readonly ttl: number;
  /** Given if the sign-in is too old. */
  readonly password?: string;
  readonly code?: string;
}

/** Creates a token and shows it once. */
export function TokenDialog({
  usualLife,
  mayLast = false,
  width,
  make,
  onClose,
  children,
}: {
  usualLife: Life;
  /** Whether it may be permanent, which is then the default. */
  mayLast?: boolean;
  width?: 'narrow';
  /** Returns the token. */
  make: (token: NewToken) => Promise<string>;
  onClose: () => void;
  /** Additional fields. */
  children?: ReactNode;
}) {
  const [description, setDescription] = useState('');
  const [chosen, setLife] = useState<Life>();
  const life = chosen !== undefined && (mayLast || chosen !== 'never') ? chosen : mayLast ? 'never' : usualLife;
  const [password, setPassword] = useState('');
  // Once shown, the field stays.
  const [asksPassword, setAsks] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [made, setMade] = useState<string>();
  const submit = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      setMade(await make({ description: description.trim(), ttl: LIVES[life], ...(password && proofOf(password)) }));
    } catch (error) {
      // For any other error, the notice above the fields shows it.
      if (needsPassword(error)) setAsks(true);
      else setProblem(problemOf(error));
    }
    setBusy(false);
  };
  if (made !== undefined) return <MadeToken token={made} onClose={onClose} />;
  return (
    <Dialog
      title={words.newTitle}
      onClose={onClose}
      onSubmit={() => void submit()}
      width={width}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {words.make}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField
          label={words.description}
          hint={words.descriptionHint}
          value={description}
          onChange={setDescription}
          maxLength={200}
          required
          autoFocus
        />
        <SelectField<Life>
          label={words.life}
          value={life}
          onChange={setLife}
          choices={(Object.keys(LIVES) as Life[])
            .filter((one) => mayLast || one !== 'never')
            .map((value) => ({ value, label: words.lives[value] }))}
        />
        {children}
        {asksPassword && (
          <TextField
            label={words.password}
            hint={words.passwordHint}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
            required
            autoFocus
          />
        )}
      </FieldStack>
    </Dialog>
  );
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Dialog
      title={words.madeTitle}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <FieldStack>
        <Notice tone="warn">{words.madeText}</Notice>
        <CopyField label={words.token} value={token} />
        <p>{words.use}</p>
        <CopyField label={words.use} value={`Authorization: ${token}`} />
      </FieldStack>
    </Dialog>
  );
}
