import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useMe } from '../../api/accounts/users.ts';
import { useCreateDevice, useDevice, useRotateDeviceKey } from '../../api/devices.ts';
import { readFleet } from '../../api/live/fleet.ts';
import { PhoneHint } from '../../forms/connect/phone-base.tsx';
import { FirstMapCard } from '../../forms/maps/map-card.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../ui/states.tsx';
import { ClaimDevice } from './claim-device.tsx';
import { ConnectDevice } from './connect-device.tsx';
import { IdentifyCard } from './set-up/identify-card.tsx';
import { ManyCard } from './set-up/many-card.tsx';
import { SmsCard } from './set-up/sms-card.tsx';
import { UnknownTrackersCard } from './unknown/unknown-trackers-card.tsx';
import css from './welcome.module.css';

/** Keys are shown once: they are kept only while this page is loaded. */
const keys = new Map<number, string>();

const back = { href: '/devices', label: t.device.back };

/** The first steps: a device, its key, and ways to connect it. */
export default function WelcomePage() {
  const [query, setQuery] = useSearchParams();
  const deviceId = Number(query.get('device')) || undefined;
  if (deviceId !== undefined) return <Connect deviceId={deviceId} />;
  return <NewDevice onMade={(id) => setQuery({ device: String(id) })} />;
}

function NewDevice({ onMade }: { onMade: (id: number) => void }) {
  const [name, setName] = useState('');
  const [isPhone, setPhone] = useState(false);
  const isAdmin = useMe().data?.admin === true;
  const create = useCreateDevice();
  const add = async () => {
    const { id, deviceKey } = await create.mutateAsync({
      body: { name: name.trim(), ...(isPhone && { type: 'phone' }) },
    });
    keys.set(id, deviceKey);
    await readFleet();
    onMade(id);
  };
  return (
    <Page title={t.welcome.title} back={back} lead={t.welcome.nameLead} width="narrow">
      <form
        className={css.card}
        onSubmit={(event) => {
          event.preventDefault();
          void add().catch(() => undefined);
        }}
      >
        <FieldStack>
          {create.error && <Notice tone="danger">{problemOf(create.error)}</Notice>}
          <TextField
            label={t.welcome.name}
            hint={t.welcome.nameHint}
            placeholder={t.welcome.namePlaceholder}
            value={name}
            onChange={setName}
            maxLength={200}
            required
            autoFocus
          />
          <Checkbox label={t.welcome.isPhone} isOn={isPhone} onChange={setPhone} />
          {isPhone && <PhoneHint />}
          <div>
            <Button kind="primary" type="submit" icon="plus" isBusy={create.isPending} disabled={name.trim() === ''}>
              {t.welcome.add}
            </Button>
          </div>
        </FieldStack>
      </form>
      {isAdmin && <UnknownTrackersCard />}
      <ManyCard />
      <SmsCard />
      <IdentifyCard />
      <FirstMapCard />
      <ClaimDevice />
    </Page>
  );
}

function Connect({ deviceId }: { deviceId: number }) {
  const device = useDevice(deviceId);
  const rotate = useRotateDeviceKey();
  const [, renew] = useState(0);
  const key = keys.get(deviceId);
  const makeKey = async () => {
    const { deviceKey } = await rotate.mutateAsync({ id: deviceId });
    keys.set(deviceId, deviceKey);
    renew((count) => count + 1);
  };
  if (key !== undefined && device.data)
    return <ConnectDevice deviceId={deviceId} name={device.data.name || `#${deviceId}`} deviceKey={key} />;
  return (
    <Page title={t.welcome.title} back={back} width="narrow">
      <Loaded query={device}>
        {() => (
          <FieldStack>
            <Notice tone="warn">{t.welcome.lostKey}</Notice>
            {rotate.error && <Notice tone="danger">{problemOf(rotate.error)}</Notice>}
            <div>
              <Button
                kind="primary"
                icon="key"
                isBusy={rotate.isPending}
                onClick={() => void makeKey().catch(() => undefined)}
              >
                {t.welcome.newKey}
              </Button>
            </div>
          </FieldStack>
        )}
      </Loaded>
    </Page>
  );
}
