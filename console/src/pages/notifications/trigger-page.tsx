import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { call, readAnew, useRead } from '../../api/calls.ts';
import { isRefusal } from '../../api/client.ts';
import { useMaker } from '../../api/maker.ts';
import { type Trigger, useCreateTrigger, useUpdateTrigger } from '../../api/triggers.ts';
import { PauseButtons } from '../../forms/pause-menu.tsx';
import { draftOfTrigger, isKnownType, newDraft } from '../../forms/trigger-draft.ts';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded, Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { TriggerForm } from './trigger-form/trigger-form.tsx';

const words = t.triggers;
const LIST = '/notifications/triggers';
const back = { href: LIST, label: words.back };

/** A new trigger, or one that is there. */
export default function TriggerPage({ params }: { params: { device?: string; id?: string } }) {
  return params.id === undefined ? (
    <NewTrigger />
  ) : (
    <EditTrigger key={params.id} deviceId={Number(params.device)} id={Number(params.id)} />
  );
}

/** Links from elsewhere say what they know: `?device=12&type=geofence&zone=5`. */
function NewTrigger() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const number = (name: string) => Number(search.get(name)) || undefined;
  const type = search.get('type') ?? '';
  const zoneId = number('zone');
  return (
    <Page title={words.newTitle} back={back} lead={words.lead}>
      <TriggerForm
        start={newDraft(number('device'), isKnownType(type) ? type : undefined, zoneId ? { zoneId } : {})}
        onCancel={() => navigate(LIST)}
        onDone={() => {
          toast({ text: words.created, tone: 'good' });
          navigate(LIST);
        }}
      />
    </Page>
  );
}

/** A trigger that a rule made is changed there. */
function OfRule({ trigger, isOwn }: { trigger: Trigger; isOwn: boolean }) {
  const { ruleId } = trigger.meta as { ruleId?: number };
  return (
    <Notice
      action={
        isOwn && (
          <ButtonLink href={`/notifications/rules/${ruleId}`} size="small">
            {t.rules.openRule}
          </ButtonLink>
        )
      }
    >
      <strong>{t.rules.byRule(trigger.name)}.</strong> {t.rules.byRuleHint}
    </Notice>
  );
}

function EditTrigger({ deviceId, id }: { deviceId: number; id: number }) {
  const [, navigate] = useLocation();
  const query = useRead('getNotificationTrigger', { id: deviceId, fk: id });
  const [isBusy, setBusy] = useState(false);
  const maker = useMaker(deviceId, query.data?.userId);
  const create = useCreateTrigger();
  const update = useUpdateTrigger();

  const undo = async ({ name, type, parameters, delivery, muteFor }: Trigger) => {
    try {
      await create.mutateAsync({ id: deviceId, body: { name, type, parameters, delivery, muteFor } });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const drop = async (trigger: Trigger) => {
    try {
      setBusy(true);
      await call('deleteNotificationTrigger')({ id: deviceId, fk: id });
      // First away from here: what is gone must not be read anew.
      navigate(LIST);
      void readAnew(['listNotificationTriggers']);
      // Made again, it would be one of the viewer's own.
      const action = maker === undefined && { label: words.undo, onPress: () => void undo(trigger) };
      toast({ text: words.deleted(trigger.name), ...(action && { action }) });
    } catch (error) {
      setBusy(false);
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };

  if (isRefusal(query.error) && query.error.status === 404)
    return (
      <Page title={words.editTitle} back={back}>
        <EmptyState icon="bell" title={words.gone} action={<ButtonLink href={LIST}>{words.back}</ButtonLink>} />
      </Page>
    );
  const trigger = query.data;
  return (
    <Page
      title={words.editTitle}
      back={back}
      actions={
        trigger && (
          <>
            <ButtonLink href={`/notifications?trigger=${id}`} icon="list" size="small">
              {words.seeFired}
            </ButtonLink>
            {trigger.meta === null && (
              <>
                <PauseButtons
                  of={trigger}
                  isBusy={update.isPending}
                  onChange={(body) => update.mutate({ id: deviceId, fk: id, body })}
                />
                <Button icon="trash" size="small" shrinks isBusy={isBusy} onClick={() => void drop(trigger)}>
                  {words.delete}
                </Button>
              </>
            )}
          </>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {(loaded) =>
          loaded.meta !== null ? (
            <OfRule trigger={loaded} isOwn={maker === undefined} />
          ) : maker?.mayChange === false ? (
            <Notice>{t.makers.notYours(maker.email)}</Notice>
          ) : (
            <TriggerForm
              trigger={loaded}
              start={draftOfTrigger(loaded)}
              onCancel={() => navigate(LIST)}
              onDone={() => {
                toast({ text: words.saved, tone: 'good' });
                navigate(LIST);
              }}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
