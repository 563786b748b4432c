import { useState } from 'react';
import { call } from '../api/calls.ts';
import { useCreatePlanCredit, usePlans } from '../api/plans.ts';
import { t } from '../texts/t.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FieldStack, NumberField, SelectField, TextField } from '../ui/fields/field.tsx';
import { Notice, problemOf } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { words as common } from '../ui/words.ts';

const words = t.plans;

/** Gives credits to a user, who can be selected if none is given; or buys them for oneself. */
export function CreditForm({
  userId,
  planId,
  buys,
  onClose,
}: {
  userId?: number;
  planId?: number;
  buys?: boolean;
  onClose: () => void;
}) {
  const plans = usePlans().data;
  const create = useCreatePlanCredit();
  const [email, setEmail] = useState('');
  const [chosen, setChosen] = useState(planId === undefined ? '' : String(planId));
  const [amount, setAmount] = useState<number | null>(1);
  const [problem, setProblem] = useState<string>();
  const plan = chosen || String(plans?.[0]?.id ?? '');
  const asksWhom = userId === undefined && !buys;

  const give = async () => {
    setProblem(undefined);
    try {
      const id = asksWhom ? await userOf(email.trim()) : (userId ?? 'me');
      if (id === undefined) return setProblem(words.nobody({ email: email.trim() }));
      const { count } = await create.mutateAsync({ id, body: { planId: Number(plan), count: amount ?? 1 } });
      toast({ text: buys ? words.bought({ count }) : words.given({ count }), tone: 'good' });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Dialog
      title={buys ? words.buyTitle : words.giveTitle}
      onClose={onClose}
      onSubmit={() => void give()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending} disabled={plan === ''}>
            {buys ? words.buyAction : words.giveAction}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        {plans?.length === 0 && <Notice tone="warn">{words.noPlans}</Notice>}
        {asksWhom && (
          <TextField
            label={words.user}
            hint={words.userHint}
            type="email"
            value={email}
            onChange={setEmail}
            autoComplete="off"
            required
            autoFocus
          />
        )}
        <SelectField
          label={words.plan}
          value={plan}
          onChange={setChosen}
          choices={(plans ?? []).map(({ id, name, displayName }) => ({
            value: String(id),
            label: displayName ?? name,
          }))}
        />
        <NumberField
          label={words.count}
          value={amount}
          onChange={setAmount}
          min={1}
          max={1_000_000}
          step={1}
          required
        />
      </FieldStack>
    </Dialog>
  );
}

async function userOf(email: string): Promise<number | undefined> {
  const [found] = await call('listUsers')({ filter: { where: { email: email.toLowerCase() }, limit: 1 } });
  return found?.id;
}
