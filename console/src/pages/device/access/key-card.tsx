import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import type { Device } from '../../../api/devices.ts';
import { t } from '../../../texts/t.ts';
import { ActDialog } from '../../../ui/act-dialog.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Card, Row } from '../../../ui/page.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import css from './access.module.css';
import { NewKeyDialog } from './new-key-dialog.tsx';

/** Creates and revokes the key of the device. */
export function KeyCard({ device, hasKey }: { device: Device; hasKey: boolean }) {
  const rotate = useChange('rotateDeviceKey', ['getDeviceAccess']);
  const revoke = useChange('revokeDeviceKey', ['getDeviceAccess']);
  const [asks, setAsks] = useState<'rotate' | 'revoke'>();
  const [deviceKey, setDeviceKey] = useState<string>();
  const make = async () => {
    try {
      setDeviceKey((await rotate.mutateAsync({ id: device.id })).deviceKey);
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setAsks(undefined);
  };
  return (
    <Card
      title={t.deviceAccess.key}
      actions={
        <Badge tone={hasKey ? 'good' : 'warn'}>{hasKey ? t.deviceAccess.hasKey : t.deviceAccess.hasNoKey}</Badge>
      }
    >
      <div className={css.key}>
        <p className={css.soft}>{hasKey ? t.deviceAccess.keyLead : t.deviceAccess.noKeyText}</p>
        {device.allowKeyless && <p className={css.soft}>{t.deviceAccess.keylessText}</p>}
        {device.identityPending && <p className={css.soft}>{t.deviceAccess.identityPending}</p>}
        <Row>
          {hasKey ? (
            <>
              <Button icon="key" onClick={() => setAsks('rotate')}>
                {t.deviceAccess.rotate}
              </Button>
              <Button icon="close" onClick={() => setAsks('revoke')}>
                {t.deviceAccess.revoke}
              </Button>
            </>
          ) : (
            <Button icon="key" kind="primary" isBusy={rotate.isPending} onClick={() => void make()}>
              {t.deviceAccess.make}
            </Button>
          )}
        </Row>
      </div>
      {asks === 'rotate' && (
        <ConfirmDialog
          title={t.deviceAccess.rotateTitle}
          action={t.deviceAccess.rotateAction}
          onConfirm={() => void make()}
          onClose={() => setAsks(undefined)}
          isBusy={rotate.isPending}
        >
          {t.deviceAccess.rotateText}
        </ConfirmDialog>
      )}
      {asks === 'revoke' && (
        <ActDialog
          title={t.deviceAccess.revokeTitle}
          action={t.deviceAccess.revokeAction}
          done={t.deviceAccess.revoked}
          act={() => revoke.mutateAsync({ id: device.id })}
          onClose={() => setAsks(undefined)}
        >
          {t.deviceAccess.revokeText}
        </ActDialog>
      )}
      {deviceKey !== undefined && (
        <NewKeyDialog deviceId={device.id} deviceKey={deviceKey} onClose={() => setDeviceKey(undefined)} />
      )}
    </Card>
  );
}
