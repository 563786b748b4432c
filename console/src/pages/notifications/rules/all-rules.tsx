import { useState } from 'react';
import { type Rule, useUpdateRule } from '../../../api/many/rules.ts';
import { PauseButtons, type PauseChange } from '../../../forms/pause-menu.tsx';
import { t } from '../../../texts/t.ts';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import feed from '../feed.module.css';

const words = t.rules;

/** Pauses all rules at once, for the days on which everything stands still, and lets them go on. */
export function AllRules({ rules }: { rules: readonly Rule[] }) {
  const update = useUpdateRule();
  const [isRunning, setRunning] = useState(false);
  const set = async (changes: readonly { readonly id: number; readonly change: PauseChange }[]) => {
    setRunning(true);
    try {
      for (const { id: fk, change } of changes) await update.mutateAsync({ id: 'me', fk, body: change });
      return true;
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      return false;
    } finally {
      setRunning(false);
    }
  };
  const change = async (asked: PauseChange) => {
    const before = rules.map(({ id, paused, snoozedUntil }) => ({ id, change: { paused, snoozedUntil } }));
    if (!(await set(rules.map(({ id }) => ({ id, change: asked }))))) return;
    toast({ text: words.allChanged(rules.length), action: { label: words.undo, onPress: () => void set(before) } });
  };
  const ends = rules.map(({ snoozedUntil }) => snoozedUntil);
  const all = {
    paused: rules.every(({ paused }) => paused),
    snoozedUntil: ends.includes(null) ? null : ends.toSorted()[0]!,
  };
  return (
    <fieldset className={feed.allRules}>
      <legend>{words.all}</legend>
      <PauseButtons of={all} isBusy={isRunning} onChange={(asked) => void change(asked)} />
    </fieldset>
  );
}
