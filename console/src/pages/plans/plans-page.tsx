import { useState } from 'react';
import { useMe } from '../../api/accounts/users.ts';
import { type Plan, usePlanSummary, usePlans } from '../../api/plans.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { CreditForm } from '../../forms/credit-form.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Page, Stack } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { DeletePlan } from './delete-plan.tsx';
import { DevicePlanForm } from './device-plan-form.tsx';
import { DevicesOnPlans } from './devices-on-plans.tsx';
import { PlanCard } from './plan-card.tsx';
import { PlanForm } from './plan-form.tsx';
import css from './plans.module.css';

const words = t.plans;

type Asked =
  | { readonly what: 'new' | 'give' | 'buy' }
  | { readonly what: 'edit' | 'delete' | 'put' | 'give' | 'buy'; readonly plan: Plan };

/** The catalogue, the viewer's credits, and the devices with plans. */
export default function PlansPage() {
  const isAdmin = useMe().data?.admin === true;
  const mayBuy = useServerInfo().data?.planPurchase === true && !isAdmin;
  const plans = usePlans();
  const summary = usePlanSummary('me', false).data;
  const used = usePlanSummary('me', true).data;
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const hasPlans = (plans.data?.length ?? 0) > 0;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          {mayBuy && hasPlans && (
            <Button kind="primary" icon="plus" onClick={() => setAsked({ what: 'buy' })}>
              {words.buy}
            </Button>
          )}
          {isAdmin && hasPlans && (
            <Button icon="send" shrinks onClick={() => setAsked({ what: 'give' })}>
              {words.give}
            </Button>
          )}
          {isAdmin && (
            <Button kind="primary" icon="plus" onClick={() => setAsked({ what: 'new' })}>
              {words.add}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={plans} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="plan" title={words.none}>
              {isAdmin ? words.noneAdmin : words.noneUser}
            </EmptyState>
          ) : (
            <Stack>
              <section aria-label={words.catalogue} className={css.catalogue}>
                {list.map((plan) => (
                  <PlanCard
                    key={plan.id}
                    plan={plan}
                    credits={summary?.find((entry) => entry.plan.id === plan.id)?.count ?? 0}
                    devices={
                      (summary?.find((entry) => entry.plan.id === plan.id) ?? used?.find((e) => e.plan.id === plan.id))
                        ?.subscriptions ?? 0
                    }
                    isAdmin={isAdmin}
                    onAsk={(what) => setAsked({ what, plan })}
                  />
                ))}
              </section>
              <DevicesOnPlans plans={list} />
            </Stack>
          )
        }
      </Loaded>
      {asked?.what === 'new' && <PlanForm onClose={close} />}
      {asked?.what === 'edit' && <PlanForm plan={asked.plan} onClose={close} />}
      {asked?.what === 'delete' && <DeletePlan plan={asked.plan} onClose={close} />}
      {asked?.what === 'put' && (
        <DevicePlanForm plan={{ id: asked.plan.id, name: asked.plan.displayName ?? asked.plan.name }} onClose={close} />
      )}
      {(asked?.what === 'give' || asked?.what === 'buy') && (
        <CreditForm {...('plan' in asked && { planId: asked.plan.id })} buys={asked.what === 'buy'} onClose={close} />
      )}
    </Page>
  );
}
