import { useMaker } from '../../api/maker.ts';
import { useRule, useUpdateRule } from '../../api/many/rules.ts';
import type { Notification } from '../../api/notifications.ts';
import { useTrigger, useUpdateTrigger } from '../../api/triggers.ts';
import { PauseBadge, PauseButtons, type PauseChange } from '../../forms/pause-menu.tsx';
import { t } from '../../texts/t.ts';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.rules;

/** The trigger or rule of a notification, if the viewer may snooze or pause it. */
function useTeller({ deviceId, triggerId }: Notification) {
  const trigger = useTrigger(deviceId, triggerId);
  const maker = useMaker(deviceId, trigger?.userId);
  const { ruleId } = (trigger?.meta ?? {}) as { ruleId?: number };
  // A rule applies only to its creator.
  const isRule = ruleId !== undefined && maker === undefined;
  const rule = useRule(ruleId ?? 0, { enabled: isRule }).data;
  if (isRule) return rule && { rule, of: rule };
  return trigger === undefined || ruleId !== undefined || maker?.mayChange === false ? undefined : { of: trigger };
}

/** Whether it is paused, and who created the rule. */
export function TellerState({ notification }: { notification: Notification }) {
  const teller = useTeller(notification);
  return (
    teller && (
      <>
        {teller.rule && ` · ${words.byRule({ name: teller.rule.name })} `}
        <PauseBadge of={teller.of} />
      </>
    )
  );
}

export function TellerButtons({ notification }: { notification: Notification }) {
  const teller = useTeller(notification);
  const trigger = useUpdateTrigger();
  const rules = useUpdateRule();
  if (teller === undefined) return null;
  const { of, rule } = teller;
  const onError = (error: unknown) => toast({ text: problemOf(error), tone: 'danger' });
  const change = (body: PauseChange) => {
    if (rule === undefined)
      return trigger.mutate({ id: notification.deviceId, fk: notification.triggerId, body }, { onError });
    const onSuccess = () => toast({ text: words.changedOnAll({ name: rule.name }), tone: 'good' });
    rules.mutate({ id: 'me', fk: rule.id, body }, { onError, onSuccess });
  };
  return <PauseButtons of={of} isBusy={trigger.isPending || rules.isPending} onChange={change} />;
}
