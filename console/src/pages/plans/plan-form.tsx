import { useState } from 'react';
import { type Plan, useCreatePlan, useUpdatePlan } from '../../api/plans.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldRow, FieldStack, NumberField, TextArea, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';
import { CURRENCIES, type Currency, hasSteps, pricesOf, simplePrices } from './plan-prices.ts';

const words = t.plans;

/** Creates or edits a plan of the catalogue, for admins. */
export function PlanForm({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const [create, update] = [useCreatePlan(), useUpdatePlan()];
  const [draft, setDraft] = useState({
    name: plan?.name ?? '',
    displayName: plan?.displayName ?? '',
    description: plan?.description ?? '',
    features: plan?.features ?? '',
    sku: plan?.sku ?? '',
    days: (plan?.days ?? 30) as number | null,
    wakeLimit: plan?.wakeLimit ?? null,
    sleepLimit: plan?.sleepLimit ?? null,
    keepDays: plan?.keepDays ?? null,
  });
  const [prices, setPrices] = useState(() => pricesOf(plan?.prices));
  const set = (change: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...change }));
  const keepsPrices = hasSteps(plan?.prices);
  const problem = create.error ?? update.error;
  const save = async () => {
    const body = {
      ...draft,
      displayName: draft.displayName || null,
      description: draft.description || null,
      features: draft.features || null,
      sku: draft.sku || null,
      days: draft.days ?? 30,
      ...(!keepsPrices && { prices: simplePrices(prices) }),
    };
    try {
      if (plan) await update.mutateAsync({ id: plan.id, body });
      else await create.mutateAsync({ body });
      toast({ text: words.saved, tone: 'good' });
      onClose();
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <Dialog
      title={plan ? words.editTitle : words.newTitle}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending || update.isPending}>
            {plan ? common.save : words.create}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problemOf(problem)}</Notice>}
        <FieldRow>
          <TextField
            label={words.displayName}
            value={draft.displayName}
            onChange={(displayName) => set({ displayName })}
            maxLength={200}
            autoFocus
          />
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={draft.name}
            onChange={(name) => set({ name })}
            maxLength={100}
            required
          />
        </FieldRow>
        <TextArea
          label={words.description}
          value={draft.description}
          onChange={(description) => set({ description })}
          maxLength={4000}
        />
        <TextArea
          label={words.features}
          value={draft.features}
          onChange={(features) => set({ features })}
          maxLength={4000}
        />
        <FieldRow>
          <NumberField
            label={words.lasts}
            unit={words.dayUnit}
            value={draft.days}
            onChange={(days) => set({ days })}
            min={1}
            max={3660}
            step={1}
            required
          />
          <TextField label={words.sku} value={draft.sku} onChange={(sku) => set({ sku })} maxLength={100} />
        </FieldRow>
        <FieldRow>
          <NumberField
            label={words.wakeLimit}
            hint={words.limitHint}
            unit={words.seconds}
            value={draft.wakeLimit}
            onChange={(wakeLimit) => set({ wakeLimit })}
            min={0}
            step={1}
          />
          <NumberField
            label={words.sleepLimit}
            hint={words.limitHint}
            unit={words.seconds}
            value={draft.sleepLimit}
            onChange={(sleepLimit) => set({ sleepLimit })}
            min={0}
            step={1}
          />
        </FieldRow>
        <NumberField
          label={words.keepDays}
          hint={words.keepDaysHint}
          unit={words.dayUnit}
          value={draft.keepDays}
          onChange={(keepDays) => set({ keepDays })}
          min={1}
          max={36_500}
          step={1}
        />
        {keepsPrices ? (
          <Notice>{words.stepsHint}</Notice>
        ) : (
          <>
            <FieldRow>
              {CURRENCIES.map((currency: Currency) => (
                <NumberField
                  key={currency}
                  label={words.currencies[currency]}
                  value={prices[currency]}
                  onChange={(price) => setPrices((now) => ({ ...now, [currency]: price }))}
                  min={0}
                />
              ))}
            </FieldRow>
            <Notice>{words.pricesHint}</Notice>
          </>
        )}
      </FieldStack>
    </Dialog>
  );
}
