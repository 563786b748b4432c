import { useState } from 'react';
import { useDeviceDriver, useDeviceDrivers, useSignOff, useSignOn } from '../../../api/fleet-tools/drivers.ts';
import { dateTime } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Card, Row } from '../../../ui/page.tsx';
import { problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { Rights } from '../rights.ts';

const words = t.drivers;

/** The current driver of a device, if its owner has drivers; signs drivers on and off. */
export function DriverCard({ deviceId, rights }: { deviceId: number; rights: Rights }) {
  const now = useDeviceDriver(deviceId).data;
  const drivers = useDeviceDrivers(deviceId, rights.mayManage).data ?? [];
  const [isOpen, setOpen] = useState(false);
  const signOff = useSignOff();
  if (now === undefined || (now.driverId === null && drivers.length === 0)) return null;
  const leave = async () => {
    try {
      await signOff.mutateAsync({ id: deviceId });
      toast({ text: words.signedOff });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Card title={words.card}>
      <Row spread>
        {now.driverId === null ? (
          <span>{words.nobody}</span>
        ) : (
          <span>
            <strong>{now.driverName}</strong> {words.since({ when: dateTime(now.since!) })}, {words.by[now.by!]}
          </span>
        )}
        {rights.mayManage && (
          <Row>
            {now.driverId !== null && (
              <Button size="small" isBusy={signOff.isPending} onClick={() => void leave()}>
                {words.signOff}
              </Button>
            )}
            {drivers.length > 0 && (
              <Button size="small" icon="user" onClick={() => setOpen(true)}>
                {words.signOn}
              </Button>
            )}
            {rights.mayOwn && (
              <ButtonLink size="small" kind="plain" href="/drivers">
                {words.manage}
              </ButtonLink>
            )}
          </Row>
        )}
      </Row>
      {isOpen && <SignOnDialog deviceId={deviceId} drivers={drivers} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function SignOnDialog({
  deviceId,
  drivers,
  onClose,
}: {
  deviceId: number;
  drivers: readonly { readonly id: number; readonly name: string }[];
  onClose: () => void;
}) {
  const [driver, setDriver] = useState('');
  const [since, setSince] = useState('');
  const signOn = useSignOn();
  const save = async () => {
    if (driver === '') return;
    const body = { driverId: Number(driver), ...(since !== '' && { at: new Date(since).toISOString() }) };
    try {
      await signOn.mutateAsync({ id: deviceId, body });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={words.signOnTitle}
      action={words.signOn}
      error={signOn.error}
      isBusy={signOn.isPending}
      isReady={driver !== ''}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <SelectField
        label={words.card}
        value={driver}
        onChange={setDriver}
        choices={[
          { value: '', label: words.choose },
          ...drivers.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      <TextField label={words.signOnSince} type="datetime-local" value={since} onChange={setSince} />
    </FormDialog>
  );
}
