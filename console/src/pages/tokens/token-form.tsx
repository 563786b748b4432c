import { useState } from 'react';
import { useCreateToken } from '../../api/users.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.tokens;
const DAY_S = 86_400;
const LIVES = { week: 7 * DAY_S, month: 30 * DAY_S, quarter: 90 * DAY_S, year: 365 * DAY_S } as const;
type Life = keyof typeof LIVES;

/** Makes a token and shows it, this once. */
export function TokenForm({ onClose }: { onClose: () => void }) {
  const create = useCreateToken();
  const [description, setDescription] = useState('');
  const [life, setLife] = useState<Life>('quarter');
  if (create.data) return <MadeToken token={create.data.token} onClose={onClose} />;
  // Where it is refused, the notice above the fields says why.
  const make = () => create.mutate({ body: { description: description.trim(), ttl: LIVES[life] } });
  return (
    <Dialog
      title={words.newTitle}
      onClose={onClose}
      onSubmit={make}
      width="narrow"
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
        {create.error && <Notice tone="danger">{problemOf(create.error)}</Notice>}
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
