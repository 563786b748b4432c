import { useLocation } from 'wouter';
import { DataCard } from '../../../forms/personal-data/data-card.tsx';
import { t } from '../../../texts/t.ts';
import { Columns, Stack } from '../../../ui/page.tsx';
import { Notice } from '../../../ui/states.tsx';
import type { SheetProps } from '../rights.ts';
import { KeyCard } from './key-card.tsx';
import { SecretCard } from './secret-card.tsx';
import { SharesCard } from './shares-card.tsx';

/** Shares, key, phone encryption and personal data of the device, for its owner. */
export default function AccessSheet({ device, rights }: SheetProps) {
  const [, navigate] = useLocation();
  if (!rights.mayOwn)
    return (
      <Notice>
        {t.deviceAccess.sharedWithYou({
          right: t.deviceAccess.right[rights.right === 'manage' ? 'manage' : 'view'].toLowerCase(),
        })}
      </Notice>
    );
  return (
    <Stack>
      <Columns>
        <SharesCard deviceId={device.id} />
        <Stack>
          <KeyCard device={device} hasKey={rights.hasKey} />
          <SecretCard deviceId={device.id} />
          <DataCard
            of={{ kind: 'device', id: device.id, name: device.name ?? String(device.id) }}
            onErased={() => navigate('/devices')}
          />
        </Stack>
      </Columns>
    </Stack>
  );
}
