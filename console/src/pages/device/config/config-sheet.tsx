import { type DeviceConfig, useDeviceConfig, useUpdateDeviceConfig } from '../../../api/device-config.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Stack } from '../../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { SheetProps } from '../rights.ts';
import { ConfigForm } from './config-form.tsx';
import { FirmwareCard } from './firmware-card.tsx';

/** The device confirms its settings at any time, so the state is polled. */
const EVERY_MS = 15_000;

/** The settings of the device, and whether it has confirmed them. */
export default function ConfigSheet({ device, rights }: SheetProps) {
  const query = useDeviceConfig(device.id, { refetchInterval: EVERY_MS });
  return (
    <Loaded query={query} lines={8}>
      {(config) => (
        <Stack>
          {!rights.mayManage && <Notice>{t.deviceConfig.viewOnly}</Notice>}
          <Standing config={config} mayManage={rights.mayManage} />
          <FirmwareCard deviceId={device.id} mayManage={rights.mayManage} />
          <ConfigForm config={config} mayEdit={rights.mayManage} />
        </Stack>
      )}
    </Loaded>
  );
}

/** Pending settings, or the time of the last confirmation. */
function Standing({ config, mayManage }: { config: DeviceConfig; mayManage: boolean }) {
  const update = useUpdateDeviceConfig();
  const sendAgain = async () => {
    try {
      await update.mutateAsync({ id: config.deviceId, body: { modified: new Date().toISOString() } });
      toast({ text: t.deviceConfig.sentAgain, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const again = mayManage && (
    <Button size="small" icon="refresh" isBusy={update.isPending} onClick={() => void sendAgain()}>
      {t.deviceConfig.sendAgain}
    </Button>
  );
  if (config.modified)
    return (
      <Notice tone="warn">
        <strong>{t.deviceConfig.waits}</strong> {t.deviceConfig.waitsSince} <Ago time={config.modified} />.
      </Notice>
    );
  if (config.receivedAt)
    return (
      <Notice tone="good" action={again}>
        {t.deviceConfig.taken} <Ago time={config.receivedAt} />.
      </Notice>
    );
  return <Notice action={again}>{t.deviceConfig.never}</Notice>;
}
