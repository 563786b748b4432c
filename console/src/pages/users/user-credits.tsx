import { useState } from 'react';
import type { User } from '../../api/accounts/users.ts';
import { usePlanSummary } from '../../api/plans.ts';
import { CreditForm } from '../../forms/credit-form.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import css from './users.module.css';

const words = t.users;

/** The credits of a user, and giving more, for admins. */
export function UserCredits({ user }: { user: User }) {
  const query = usePlanSummary(user.id, false);
  const [isGiving, setGiving] = useState(false);
  return (
    <Card
      title={words.plans}
      isFlush
      actions={
        <Button size="small" icon="plus" onClick={() => setGiving(true)}>
          {words.give}
        </Button>
      }
    >
      <Loaded query={query} lines={1}>
        {(entries) =>
          entries.length === 0 ? (
            <p className={css.note}>{words.noCredits}</p>
          ) : (
            <ul className={css.list}>
              {entries.map(({ plan, count, subscriptions }) => (
                <li key={plan.id}>
                  <strong>{plan.displayName ?? plan.name}</strong>
                  <span className={css.soft}>
                    {words.credits({ count })} · {words.inUse({ count: subscriptions })}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isGiving && <CreditForm userId={user.id} onClose={() => setGiving(false)} />}
    </Card>
  );
}
