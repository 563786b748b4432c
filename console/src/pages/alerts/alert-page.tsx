import { useState } from 'react';
import { Redirect, useLocation, useSearchParams } from 'wouter';
import { call, readAnew, useRead } from '../../api/calls.ts';
import { isRefusal } from '../../api/client.ts';
import { useDevices } from '../../api/devices.ts';
import { useMaker } from '../../api/maker.ts';
import { useRule, useUpdateRule } from '../../api/many/rules.ts';
import { useSubscriptions } from '../../api/push.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { useUpdateTrigger } from '../../api/triggers.ts';
import { PauseBadge, PauseButtons } from '../../forms/pause-menu.tsx';
import { draftOf, isKnownType, newDraft } from '../../forms/trigger-draft.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded, Notice, problemOf, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { AlertForm } from './form/alert-form.tsx';
import { LISTS, remove } from './form/save-alert.ts';
import { type Alert, addressOf, isRule, type Who, whoOf } from './form/who.ts';

const words = t.alerts;
const LIST = '/alerts';
const back = { href: LIST, label: words.title };

/** A new alert, one of a device, or one of several devices. */
export default function AlertPage({ params }: { params: { device?: string; id?: string } }) {
  const { device, id } = params;
  if (id === undefined) return <NewAlert />;
  if (device === undefined) return <RuleAlert key={id} id={Number(id)} />;
  return <DeviceAlert key={id} deviceId={Number(device)} id={Number(id)} />;
}

/** Links from elsewhere say what they know: `?device=12&type=geofence&zone=5`, `?group=3`. */
function NewAlert() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const number = (name: string) => Number(search.get(name)) || undefined;
  const type = search.get('type') ?? '';
  const zoneId = number('zone');
  const groupId = number('group') ?? null;
  const info = useServerInfo();
  const browsers = useSubscriptions();
  const devices = useDevices({ limit: 2, fields: ['id'] });
  const [only, ...more] = devices.data ?? [];
  const who: Who = {
    appliesTo: groupId === null ? 'device' : 'group',
    deviceId: number('device') ?? (more.length === 0 ? only?.id : undefined),
    groupId,
    tag: null,
  };
  const hasPush = (browsers.data?.length ?? 0) > 0;
  const ways = { push: hasPush, email: !hasPush && info.data?.channels.email === true };
  const isReady = !info.isPending && !browsers.isPending && !devices.isPending;
  return (
    <Page title={words.newTitle} back={back}>
      {isReady ? (
        <AlertForm
          start={{ draft: newDraft(isKnownType(type) ? type : undefined, zoneId ? { zoneId } : {}, ways), who }}
          onCancel={() => navigate(LIST)}
          onDone={() => {
            toast({ text: words.created, tone: 'good' });
            navigate(LIST);
          }}
        />
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}

function RuleAlert({ id }: { id: number }) {
  const query = useRule(id);
  return <EditAlert query={query} alert={query.data} isFixed={false} />;
}

function DeviceAlert({ deviceId, id }: { deviceId: number; id: number }) {
  const query = useRead('getNotificationTrigger', { id: deviceId, fk: id });
  const maker = useMaker(deviceId, query.data?.userId);
  const { ruleId } = (query.data?.meta ?? {}) as { ruleId?: number };
  if (ruleId !== undefined && maker === undefined) return <Redirect to={`/alerts/rules/${ruleId}`} replace />;
  const isLocked = ruleId !== undefined || maker?.mayChange === false;
  return (
    <EditAlert
      query={query}
      alert={query.data}
      isFixed={maker !== undefined}
      mayDelete={ruleId === undefined}
      locked={isLocked ? t.makers.notYours({ email: maker?.email }) : undefined}
    />
  );
}

function EditAlert({
  query,
  alert,
  isFixed,
  mayDelete = true,
  locked,
}: {
  query: Parameters<typeof Loaded<Alert>>[0]['query'];
  alert: Alert | undefined;
  /** Another user made it, so it stays with its device. */
  isFixed: boolean;
  mayDelete?: boolean;
  /** Why the viewer cannot change it. */
  locked?: string;
}) {
  const [, navigate] = useLocation();
  if (isRefusal(query.error) && query.error.status === 404)
    return (
      <Page title={words.editTitle} back={back}>
        <EmptyState icon="alert" title={words.gone} action={<ButtonLink href={LIST}>{words.title}</ButtonLink>} />
      </Page>
    );
  return (
    <Page
      title={words.editTitle}
      back={back}
      lead={alert && <PauseBadge of={alert} />}
      actions={
        alert && <Actions alert={alert} isOwn={!isFixed} isLocked={locked !== undefined} mayDelete={mayDelete} />
      }
    >
      <Loaded query={query} lines={8}>
        {(loaded) =>
          locked !== undefined ? (
            <Notice>{locked}</Notice>
          ) : (
            <AlertForm
              alert={loaded}
              start={{ draft: draftOf(loaded), who: whoOf(loaded), isFixed }}
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

/** What a copy or an undo creates. */
function bodyOf(alert: Alert) {
  const { name, type, parameters, delivery, muteFor, severity, escalateAfter, escalation, paused } = alert;
  return { name, type, parameters, delivery, muteFor, severity, escalateAfter, escalation, paused };
}

async function createAgain(alert: Alert, change: { name?: string; paused?: boolean } = {}): Promise<Alert> {
  const body = { ...bodyOf(alert), ...change };
  if (!isRule(alert)) return call('createNotificationTrigger')({ id: alert.deviceId, body });
  const { appliesTo, groupId, tag } = alert;
  return call('createRule')({ id: 'me', body: { ...body, appliesTo, groupId, tag } });
}

function Actions({
  alert,
  isOwn,
  isLocked,
  mayDelete,
}: {
  alert: Alert;
  isOwn: boolean;
  isLocked: boolean;
  mayDelete: boolean;
}) {
  const [, navigate] = useLocation();
  const [asks, setAsks] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const rule = useUpdateRule();
  const trigger = useUpdateTrigger();
  const run = async (what: () => Promise<void>) => {
    setBusy(true);
    try {
      await what();
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setBusy(false);
  };
  // A copy is paused until its user has looked at it.
  const copy = () =>
    run(async () => {
      const made = await createAgain(alert, { name: words.copyOf({ name: alert.name }), paused: true });
      void readAnew(LISTS);
      navigate(addressOf(made));
    });
  const drop = () =>
    run(async () => {
      await remove(alert);
      // First away from here: a deleted alert cannot be read again.
      navigate(LIST);
      void readAnew(LISTS);
      const undo = () => run(async () => void (await createAgain(alert).then(() => readAnew(LISTS))));
      // Created again, it would belong to the viewer.
      const action = isOwn && { label: words.undo, onPress: () => void undo() };
      toast({ text: words.deleted({ name: alert.name }), ...(action && { action }) });
    });
  const pause = (body: Parameters<Parameters<typeof PauseButtons>[0]['onChange']>[0]) =>
    run(async () => {
      if (isRule(alert)) await rule.mutateAsync({ id: 'me', fk: alert.id, body });
      else await trigger.mutateAsync({ id: alert.deviceId, fk: alert.id, body });
    });
  const items: MenuItem[] = [
    ...(isOwn && !isLocked ? [{ label: words.copy, icon: 'copy', onPress: () => void copy() } as const] : []),
    ...(mayDelete
      ? [{ label: words.delete, icon: 'trash', isDangerous: true, onPress: () => setAsks(true) } as const]
      : []),
  ];
  return (
    <>
      {!isRule(alert) && (
        <ButtonLink href={`/notifications?trigger=${alert.id}`} icon="list" size="small" shrinks>
          {t.triggers.seeFired}
        </ButtonLink>
      )}
      {!isLocked && <PauseButtons of={alert} isBusy={isBusy} onChange={(body) => void pause(body)} />}
      {items.length > 0 && (
        <Menu
          label={t.device.actions}
          items={items}
          button={(props) => <IconButton icon="more" kind="plain" size="small" label={t.device.actions} {...props} />}
        />
      )}
      {asks && (
        <ConfirmDialog
          title={words.deleteTitle({ name: alert.name })}
          action={words.deleteAction}
          onConfirm={() => void drop()}
          onClose={() => setAsks(false)}
          isBusy={isBusy}
        >
          {words.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
