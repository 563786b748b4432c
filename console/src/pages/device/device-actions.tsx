import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMe } from '../../api/accounts/users.ts';
import { type Device, useDeleteDevice, useRestoreDevice } from '../../api/devices.ts';
import { useDeleteShare } from '../../api/shares.ts';
import { HistoryDialog } from '../../forms/history-dialog.tsx';
import { LinkDialog } from '../../forms/links/link-dialog.tsx';
import { t } from '../../texts/t.ts';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { DeviceForm } from './device-form.tsx';
import { nameOf } from './name-of.ts';
import type { Rights } from './rights.ts';

/** Actions on the whole device that the viewer may perform. */
export function DeviceActions({ device, rights }: { device: Device; rights: Rights }) {
  const [asks, setAsks] = useState<'edit' | 'link' | 'import' | 'delete' | 'leave'>();
  const close = () => setAsks(undefined);
  const items: MenuItem[] = [
    ...(rights.mayManage
      ? [{ label: t.historyImport.title, icon: 'history', onPress: () => setAsks('import') } as const]
      : []),
    ...(rights.mayOwn
      ? [{ label: t.device.delete, icon: 'trash', isDangerous: true, onPress: () => setAsks('delete') } as const]
      : []),
    ...(rights.shareId !== null
      ? [{ label: t.device.leave, icon: 'close', isDangerous: true, onPress: () => setAsks('leave') } as const]
      : []),
  ];
  return (
    <>
      <ButtonLink href={`/?device=${device.id}`} icon="map" shrinks>
        {t.device.onMap}
      </ButtonLink>
      {rights.mayManage && (
        <Button icon="share" shrinks onClick={() => setAsks('link')}>
          {t.links.share}
        </Button>
      )}
      {rights.mayManage && (
        <Button icon="edit" shrinks onClick={() => setAsks('edit')}>
          {t.device.edit}
        </Button>
      )}
      {items.length > 0 && (
        <Menu
          items={items}
          label={t.device.actions}
          button={(props) => <IconButton icon="more" kind="plain" label={t.device.actions} {...props} />}
        />
      )}
      {asks === 'edit' && <DeviceForm device={device} mayOwn={rights.mayOwn} onClose={close} />}
      {asks === 'link' && <LinkDialog of={{ deviceId: device.id }} name={nameOf(device)} onClose={close} />}
      {asks === 'import' && <HistoryDialog into={device.id} onClose={close} />}
      {asks === 'delete' && <DeleteDialog device={device} onClose={close} />}
      {asks === 'leave' && <LeaveDialog device={device} shareId={rights.shareId!} onClose={close} />}
    </>
  );
}

function DeleteDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const [, navigate] = useLocation();
  const isAdmin = useMe().data?.admin === true;
  const remove = useDeleteDevice();
  const restore = useRestoreDevice();
  const name = nameOf(device);
  const undo = async () => {
    try {
      await restore.mutateAsync({ id: device.id });
      toast({ text: t.device.restored({ name }), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const confirm = async () => {
    try {
      await remove.mutateAsync({ id: device.id });
      navigate('/devices');
      if (isAdmin)
        toast({ text: t.device.deleted({ name }), action: { label: t.device.undo, onPress: () => void undo() } });
      else toast({ text: t.device.deletedHint({ name }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <ConfirmDialog
      title={t.device.deleteTitle({ name })}
      action={t.device.deleteAction}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={remove.isPending}
    >
      {t.device.deleteText}
    </ConfirmDialog>
  );
}

function LeaveDialog({ device, shareId, onClose }: { device: Device; shareId: number; onClose: () => void }) {
  const [, navigate] = useLocation();
  const end = useDeleteShare();
  const name = nameOf(device);
  const confirm = async () => {
    try {
      await end.mutateAsync({ id: device.id, fk: shareId });
      navigate('/devices');
      toast({ text: t.device.left({ name }) });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <ConfirmDialog
      title={t.device.leaveTitle({ name })}
      action={t.device.leaveAction}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={end.isPending}
    >
      {t.device.leaveText}
    </ConfirmDialog>
  );
}
