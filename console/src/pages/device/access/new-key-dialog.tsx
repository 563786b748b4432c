import { useState } from 'react';
import { useServerInfo } from '../../../api/server-info.ts';
import { type Way, WaysToConnect } from '../../../forms/connect/ways.tsx';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { Notice } from '../../../ui/states.tsx';
import css from './access.module.css';

const WAYS = ['phone', 'traccar', 'curl'] as const satisfies readonly Way[];

/** Shows the key once, and how to enter it in the device. */
export function NewKeyDialog({
  deviceId,
  deviceKey,
  onClose,
}: {
  deviceId: number;
  deviceKey: string;
  onClose: () => void;
}) {
  const [way, setWay] = useState<(typeof WAYS)[number]>('phone');
  const base = useServerInfo().data?.publicUrl || location.origin;
  return (
    <Dialog
      title={t.deviceAccess.newKeyTitle}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t.deviceAccess.done}
        </Button>
      }
    >
      <div className={css.once}>
        <Notice tone="warn">{t.deviceAccess.newKeyText}</Notice>
        <CopyField value={deviceKey} label={t.deviceAccess.key} />
        <WaysToConnect ways={WAYS} way={way} onChange={setWay} {...{ base, deviceId, deviceKey }} />
      </div>
    </Dialog>
  );
}
