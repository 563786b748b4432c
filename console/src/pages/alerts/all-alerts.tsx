import { useState } from 'react';
import { call, readAnew } from '../../api/calls.ts';
import { PauseButtons, type PauseChange } from '../../forms/pause-menu.tsx';
import { t } from '../../texts/t.ts';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './alerts.module.css';
import { type Alert, isRule } from './form/who.ts';

const words = t.alerts;

/** Pauses all alerts at once, for example during holidays, and resumes them. */
export function AllAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const [isRunning, setRunning] = useState(false);
  const set = async (changes: readonly { readonly alert: Alert; readonly body: PauseChange }[]) => {
    setRunning(true);
    try {
      for (const { alert, body } of changes)
        if (isRule(alert)) await call('updateRule')({ id: 'me', fk: alert.id, body });
        else await call('updateNotificationTrigger')({ id: alert.deviceId, fk: alert.id, body });
      return true;
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      return false;
    } finally {
      await readAnew(['listRules', 'getRule', 'listUserTriggers', 'listNotificationTriggers']);
      setRunning(false);
    }
  };
  const change = async (body: PauseChange) => {
    const before = alerts.map((alert) => ({
      alert,
      body: { paused: alert.paused, snoozedUntil: alert.snoozedUntil },
    }));
    if (!(await set(alerts.map((alert) => ({ alert, body }))))) return;
    toast({
      text: words.allChanged({ count: alerts.length }),
      action: { label: words.undo, onPress: () => void set(before) },
    });
  };
  const ends = alerts.map(({ snoozedUntil }) => snoozedUntil);
  const all = {
    paused: alerts.every(({ paused }) => paused),
    snoozedUntil: ends.includes(null) ? null : ends.toSorted()[0]!,
  };
  return (
    <fieldset className={css.all}>
      <legend>{words.all}</legend>
      <PauseButtons of={all} isBusy={isRunning} onChange={(asked) => void change(asked)} />
    </fieldset>
  );
}
