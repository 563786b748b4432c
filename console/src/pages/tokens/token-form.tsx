import { ApiError } from '@trackway/client/api-error.ts';
import { useState } from 'react';
import { useCreateToken } from '../../api/accounts/users.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';
import { TokenLimitFields, type TokenLimits } from './token-limits.tsx';

const words = t.tokens;
const DAY_S = 86_400;
const LIVES = { week: 7 * DAY_S, month: 30 * DAY_S, quarter: 90 * DAY_S, year: 365 * DAY_S } as const;
type Life = keyof typeof LIVES;

/** Makes a token and shows it, this once. */
export function TokenForm({ onClose }: { onClose: () => void }) {
  const create = useCreateToken();
  const [description, setDescription] = useState('');
  const [life, setLife] = useState<Life>('quarter');
  const [limits, setLimits] = useState<TokenLimits>({ access: 'full', deviceIds: [], families: [] });
  const [password, setPassword] = useState('');
  // Once it was asked for, the field stays.
  const [needsPassword, setNeedsPassword] = useState(false);
  if (create.data) return <MadeToken token={create.data.token} onClose={onClose} />;
  const make = () =>
    create.mutate(
      { body: { description: description.trim(), ttl: LIVES[life], ...bodyOf(limits), ...(password && { password }) } },
      { onError: (error) => isStale(error) && setNeedsPassword(true) },
    );
  // Where it is refused for another reason, the notice above the fields says why.
  const problem = create.error && !isStale(create.error) ? problemOf(create.error) : undefined;
  return (
    <Dialog
      title={words.newTitle}
      onClose={onClose}
      onSubmit={make}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
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
          choices={(Object.keys(LIVES) as Life[]).map((value) => ({ value, label: words.lives[value] }))}
        />
        <TokenLimitFields limits={limits} onChange={setLimits} />
        {needsPassword && (
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

const isStale = (error: Error) => error instanceof ApiError && error.code === 'FRESH_SIGN_IN_REQUIRED';

/** Lists that are empty are no limit. */
const bodyOf = ({ access, deviceIds, families }: TokenLimits) => ({
  access,
  ...(deviceIds.length > 0 && { deviceIds: [...deviceIds] }),
  ...(families.length > 0 && { families: [...families] }),
});

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
