import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import {
  type DeviceGroup,
  ME,
  useDeleteGroup,
  useGroupDevices,
  useGroups,
  usePutIntoGroup,
  useRestoreGroup,
  useTakeFromGroup,
} from '../../api/many/groups.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { toneOfNow, wordOfNow } from '../../forms/device-now.ts';
import { LinkDialog } from '../../forms/links/link-dialog.tsx';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { Card, Page, Stack } from '../../ui/page.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { AddDevices } from './add-devices.tsx';
import { useCountsBelow, useDeviceCounts } from './device-counts.ts';
import { GroupForm } from './group-form.tsx';
import { GroupRules } from './group-rules.tsx';
import { GroupSharing } from './group-sharing.tsx';
import css from './groups.module.css';

const words = t.groups;
/** Longer lists are truncated. */
const MOST_SHOWN = 200;

/** One group: its devices, shares and actions. */
export function GroupPage({ group }: { group: DeviceGroup }) {
  const [asks, setAsks] = useState<'edit' | 'below' | 'link' | 'end'>();
  const [, navigate] = useLocation();
  const isOwner = group.right === 'own';
  const close = () => setAsks(undefined);
  const items: MenuItem[] = [
    ...(group.right === 'view'
      ? []
      : [{ label: words.rule, icon: 'bell', href: `/alerts/new?group=${group.id}` } as const]),
    ...(isOwner
      ? ([
          { label: words.addBelow, icon: 'plus', onPress: () => setAsks('below') },
          { label: words.edit, icon: 'edit', onPress: () => setAsks('edit') },
        ] as const)
      : []),
    {
      label: isOwner ? words.delete : words.leave,
      icon: isOwner ? 'trash' : 'close',
      isDangerous: true,
      onPress: () => setAsks('end'),
    },
  ];
  return (
    <Page
      title={group.name}
      back={{ href: group.parentId === null ? '/groups' : `/groups/${group.parentId}`, label: words.back }}
      lead={isOwner ? undefined : <Badge tone="info">{`${words.sharedWithYou}: ${words.rights[group.right]}`}</Badge>}
      actions={
        <>
          <ButtonLink href={`/?group=${group.id}`} icon="map" size="small" shrinks>
            {words.toMap}
          </ButtonLink>
          {group.right !== 'view' && (
            <Button icon="share" size="small" shrinks onClick={() => setAsks('link')}>
              {t.links.shareGroup}
            </Button>
          )}
          <Menu
            label={t.device.actions}
            items={items}
            button={(props) => <IconButton icon="more" kind="plain" size="small" label={t.device.actions} {...props} />}
          />
        </>
      }
    >
      <Stack>
        <Below group={group} />
        <Devices group={group} isOwner={isOwner} />
        <GroupRules group={group} />
        {isOwner && <GroupSharing group={group} />}
      </Stack>
      {asks === 'edit' && <GroupForm group={group} onClose={close} />}
      {asks === 'below' && (
        <GroupForm parentId={group.id} onClose={close} onDone={({ id }) => navigate(`/groups/${id}`)} />
      )}
      {asks === 'link' && <LinkDialog of={{ groupId: group.id }} name={group.name} onClose={close} />}
      {asks === 'end' && <EndDialog group={group} isOwner={isOwner} onClose={close} />}
    </Page>
  );
}

function Below({ group }: { group: DeviceGroup }) {
  const below = (useGroups().data ?? []).filter(({ parentId }) => parentId === group.id);
  const countOf = useDeviceCounts();
  if (below.length === 0) return null;
  return (
    <Card title={words.below}>
      <ul className={css.list} aria-label={words.below}>
        {below.map((one) => (
          <li key={one.id} className={css.member}>
            <Link href={`/groups/${one.id}`}>{one.name}</Link>
            <span className={css.soft}>{countOf(one)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Devices({ group, isOwner }: { group: DeviceGroup; isOwner: boolean }) {
  const query = useGroupDevices(group.id);
  const { devices } = useFleet();
  const below = useCountsBelow()?.get(group.id) ?? 0;
  const [isAdding, setAdding] = useState(false);
  return (
    <Card
      title={words.devices}
      actions={
        isOwner && (
          <Button icon="plus" size="small" onClick={() => setAdding(true)}>
            {words.put}
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ deviceIds }) => (
          <>
            {deviceIds.length === 0 && (
              <p className={css.soft}>
                {below > 0
                  ? `${words.noneDirectly} ${words.countBelow({ count: below })}.`
                  : `${words.noDevices}. ${words.noDevicesHint}`}
              </p>
            )}
            {deviceIds.length > MOST_SHOWN && (
              <p className={css.soft}>{words.only({ shown: MOST_SHOWN, all: deviceIds.length })}</p>
            )}
            <ul className={css.list} aria-label={words.devices}>
              {deviceIds.slice(0, MOST_SHOWN).map((id) => (
                <Member key={id} group={group} deviceId={id} isOwner={isOwner}>
                  <Status device={devices.get(id)} />
                </Member>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      {isAdding && query.data && (
        <AddDevices group={group} inside={query.data.deviceIds} onClose={() => setAdding(false)} />
      )}
    </Card>
  );
}

/** The current state, once the fleet is loaded. */
function Status({ device }: { device: FleetDevice | undefined }) {
  const { offlineAfterMin } = usePreferences();
  if (device === undefined) return null;
  const doing = nowOf(device, Date.now(), offlineAfterMin);
  return (
    <Badge tone={toneOfNow(doing)} hasDot>
      {wordOfNow(doing)}
    </Badge>
  );
}

function Member({
  group,
  deviceId,
  isOwner,
  children,
}: {
  group: DeviceGroup;
  deviceId: number;
  isOwner: boolean;
  children: ReactNode;
}) {
  const { device } = useNamedDevice(deviceId);
  const take = useTakeFromGroup();
  const put = usePutIntoGroup();
  const name = device?.name ?? t.triggers.unnamedDevice({ id: deviceId });
  const change = { id: ME, fk: group.id, body: { ids: [deviceId] } };
  const drop = async () => {
    try {
      await take.mutateAsync(change);
      toast({ text: words.taken({ name }), action: { label: words.undo, onPress: () => put.mutate(change) } });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <li className={css.member}>
      <Link href={`/devices/${deviceId}`}>{name}</Link>
      {children}
      {isOwner && <IconButton icon="close" label={words.take({ name })} onClick={() => void drop()} />}
    </li>
  );
}

/** The owner deletes it, which can be undone; a user it is shared with leaves it. */
function EndDialog({ group, isOwner, onClose }: { group: DeviceGroup; isOwner: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const end = useDeleteGroup();
  const restore = useRestoreGroup();
  const { name } = group;
  const failed = (error: unknown) => toast({ text: problemOf(error), tone: 'danger' });
  const confirm = async () => {
    try {
      await end.mutateAsync({ id: ME, fk: group.id });
      navigate('/groups');
      const onPress = () => restore.mutate({ id: ME, fk: group.id }, { onError: failed });
      if (isOwner) toast({ text: words.deleted({ name }), action: { label: words.undo, onPress } });
      else toast({ text: words.left({ name }) });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <ConfirmDialog
      title={isOwner ? words.deleteTitle({ name }) : words.leaveTitle({ name })}
      action={isOwner ? words.deleteAction : words.leaveAction}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={end.isPending}
    >
      {isOwner ? words.deleteText : words.leaveText}
    </ConfirmDialog>
  );
}
