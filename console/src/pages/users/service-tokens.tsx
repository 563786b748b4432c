import { useState } from 'react';
import {
  type ServiceToken,
  useCreateServiceToken,
  useDeleteServiceToken,
  useServiceTokens,
} from '../../api/accounts/service-accounts.ts';
import type { User } from '../../api/accounts/users.ts';
import { date } from '../../format/times.ts';
import { TokenDialog } from '../../forms/token-dialog.tsx';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import css from './users.module.css';

const [words, tokens] = [t.serviceAccounts, t.tokens];

/** The tokens of a service account. */
export function ServiceTokens({ user }: { user: User }) {
  const query = useServiceTokens(user.id);
  const revoke = useDeleteServiceToken();
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ServiceToken>();
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
                    · {tokens.columns.expires} {token.ttl === 0 ? tokens.lives.never : date(token.expiresAt)}
                  </span>
                </span>
                <Button
                  size="small"
                  aria-label={tokens.revokeOf({ description: nameOf(token) })}
                  onClick={() => setRevoking(token)}
                >
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
        <ActDialog
          title={tokens.revokeTitle({ description: nameOf(revoking) })}
          action={tokens.revoke}
          done={tokens.revoked}
          act={() => revoke.mutateAsync({ id: revoking.id })}
          onClose={() => setRevoking(undefined)}
        >
          {tokens.revokeText}
        </ActDialog>
      )}
    </Card>
  );
}

function NewToken({ user, onClose }: { user: User; onClose: () => void }) {
  const create = useCreateServiceToken();
  return (
    <TokenDialog
      usualLife="year"
      width="narrow"
      make={async (token) => (await create.mutateAsync({ id: user.id, body: token })).token}
      onClose={onClose}
    />
  );
}

const nameOf = ({ description }: ServiceToken) => description || tokens.unnamed;
