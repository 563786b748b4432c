import { useState } from 'react';
import {
  type ServiceToken,
  useCreateServiceToken,
  useDeleteServiceToken,
  useServiceTokens,
} from '../../api/accounts/service-accounts.ts';
import type { User } from '../../api/accounts/users.ts';
import { date } from '../../format/times.ts';
import { needsPassword } from '../../forms/security/proof.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';
import css from './users.module.css';

const [words, tokens] = [t.serviceAccounts, t.tokens];
const DAY_S = 86_400;
const LIVES = { week: 7 * DAY_S, month: 30 * DAY_S, quarter: 90 * DAY_S, year: 365 * DAY_S } as const;
type Life = keyof typeof LIVES;

/** The tokens by which a service account acts. */
export function ServiceTokens({ user }: { user: User }) {
  const query = useServiceTokens(user.id);
  const revoke = useDeleteServiceToken();
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ServiceToken>();
  const confirm = async (token: ServiceToken) => {
    try {
      await revoke.mutateAsync({ id: token.id });
      toast({ text: tokens.revoked });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setRevoking(undefined);
  };
  return (
    <Card
      title={words.tokens}
      isFlush
      actions={
        <Button icon="plus" size="small" onClick={() => setMaking(true)}>
          {words.addToken}
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {(made) => (
          <ul className={css.list} aria-label={words.tokens}>
            {made.length === 0 && <li className={css.soft}>{words.noTokens}</li>}
            {made.map((token) => (
              <li key={token.id}>
                <span className={css.grows}>
                  {nameOf(token)}
                  <span className={css.soft}>
                    {' '}
                    · {tokens.columns.expires} {date(token.expiresAt)}
                  </span>
                </span>
                <Button size="small" aria-label={tokens.revokeOf(nameOf(token))} onClick={() => setRevoking(token)}>
                  {tokens.revoke}
                </Button>
              </li>
            ))}
            <li className={css.soft}>{words.sharing}</li>
          </ul>
        )}
      </Loaded>
      {isMaking && <NewToken user={user} onClose={() => setMaking(false)} />}
      {revoking && (
        <ConfirmDialog
          title={tokens.revokeTitle(nameOf(revoking))}
          action={tokens.revoke}
          isBusy={revoke.isPending}
          onConfirm={() => void confirm(revoking)}
          onClose={() => setRevoking(undefined)}
        >
          {tokens.revokeText}
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Makes a token and shows it, this once. */
function NewToken({ user, onClose }: { user: User; onClose: () => void }) {
  const create = useCreateServiceToken();
  const [description, setDescription] = useState('');
  const [life, setLife] = useState<Life>('year');
  const [password, setPassword] = useState('');
  // Once it was asked for, the field stays.
  const [asksPassword, setAsks] = useState(false);
  const make = () =>
    create.mutate(
      { id: user.id, body: { description: description.trim(), ttl: LIVES[life], ...(password && { password }) } },
      { onError: (error) => needsPassword(error) && setAsks(true) },
    );
  // Where it is refused for another reason, the notice above the fields says why.
  const problem = create.error && !needsPassword(create.error) ? problemOf(create.error) : undefined;
  if (create.data)
    return (
      <Dialog
        title={tokens.madeTitle}
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            {tokens.done}
          </Button>
        }
      >
        <FieldStack>
          <Notice tone="warn">{tokens.madeText}</Notice>
          <CopyField label={tokens.token} value={create.data.token} />
        </FieldStack>
      </Dialog>
    );
  return (
    <Dialog
      title={tokens.newTitle}
      onClose={onClose}
      onSubmit={make}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            {tokens.make}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <TextField
          label={tokens.description}
          hint={tokens.descriptionHint}
          value={description}
          onChange={setDescription}
          maxLength={200}
          required
          autoFocus
        />
        <SelectField<Life>
          label={tokens.life}
          value={life}
          onChange={setLife}
          choices={(Object.keys(LIVES) as Life[]).map((value) => ({ value, label: tokens.lives[value] }))}
        />
        {asksPassword && (
          <TextField
            label={tokens.password}
            hint={tokens.passwordHint}
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

const nameOf = ({ description }: ServiceToken) => description || tokens.unnamed;
