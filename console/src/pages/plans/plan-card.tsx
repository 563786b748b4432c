import type { Plan } from '../../api/plans.ts';
import { LOCALE } from '../../format/locale.ts';
import { duration } from '../../format/quantities.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { CURRENCIES, pricesOf } from './plan-prices.ts';
import css from './plans.module.css';

const words = t.plans;

export function PlanCard({
  plan,
  credits,
  devices,
  isAdmin,
  onAsk,
}: {
  plan: Plan;
  credits: number;
  devices: number;
  isAdmin: boolean;
  onAsk: (what: 'edit' | 'delete' | 'put' | 'give') => void;
}) {
  const { description, features, days, wakeLimit, sleepLimit } = plan;
  const name = plan.displayName ?? plan.name;
  const price = priceOf(plan);
  return (
    <article className={css.plan} aria-label={name}>
      <header className={css.head}>
        <div>
          <h2>{name}</h2>
          {price && <p className={css.price}>{words.from({ price })}</p>}
        </div>
        {isAdmin && (
          <Menu
            label={words.actionsOf({ name })}
            items={[
              { label: words.give, icon: 'send', onPress: () => onAsk('give') },
              { label: words.edit, icon: 'edit', onPress: () => onAsk('edit') },
              { label: words.delete, icon: 'trash', isDangerous: true, onPress: () => onAsk('delete') },
            ]}
            button={(props) => <IconButton icon="more" label={words.actionsOf({ name })} {...props} />}
          />
        )}
      </header>
      {description && <p className={css.words}>{description}</p>}
      {features && <p className={css.words}>{features}</p>}
      <ul className={css.terms}>
        <li>{words.days({ days })}</li>
        {!!wakeLimit && <li>{words.wake({ time: duration(wakeLimit) })}</li>}
        {!!sleepLimit && <li>{words.sleep({ time: duration(sleepLimit) })}</li>}
      </ul>
      <footer className={css.foot}>
        <span className={css.counts}>
          <Badge tone={credits > 0 ? 'good' : 'plain'}>
            {credits > 0 ? words.credits({ count: credits }) : words.noCredits}
          </Badge>
          {devices > 0 && <Badge tone="info">{words.used({ count: devices })}</Badge>}
        </span>
        {credits > 0 && (
          <Button size="small" onClick={() => onAsk('put')} aria-label={words.putNamed({ name })}>
            {words.put}
          </Button>
        )}
      </footer>
    </article>
  );
}

function priceOf({ prices }: Plan): string | undefined {
  const known = pricesOf(prices);
  const currency = CURRENCIES.find((one) => known[one] !== null);
  return currency && known[currency]!.toLocaleString(LOCALE, { style: 'currency', currency });
}
