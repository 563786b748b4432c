import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import { isReadOnly } from '@trackway/contract/schema.ts';
import { useState } from 'react';
import { call } from '../../../api/calls.ts';
import { useGeofences } from '../../../api/geofences.ts';
import { usePlans } from '../../../api/plans.ts';
import type { Share } from '../../../api/shares.ts';
import { useTriggers } from '../../../api/triggers.ts';
import { PickDevice } from '../../../forms/pick-device.tsx';
import { bodyOfDraft, draftOf, isKnownType } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { usePreferences } from '../../../preferences.ts';
import { t } from '../../../texts/t.ts';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkProps } from './tag-dialogs.tsx';

const words = t.deviceList;

export function ShareDialog(props: BulkProps) {
  const [email, setEmail] = useState('');
  const [rights, setRights] = useState<Share['rights']>('view');
  return (
    <BulkDialog
      {...props}
      title={words.share}
      needs="own"
      isReady={email.includes('@')}
      run={async ({ id }) => {
        const made = await call('createShare')({ id, body: { email: email.trim(), rights } });
        return () => call('deleteShare')({ id, fk: made.id });
      }}
    >
      <TextField
        label={t.deviceAccess.email}
        hint={t.deviceAccess.emailHint}
        type="email"
        value={email}
        onChange={setEmail}
        required
        autoFocus
      />
      <SelectField<Share['rights']>
        label={t.deviceAccess.rights}
        value={rights}
        onChange={setRights}
        choices={(['view', 'manage'] as const).map((value) => ({ value, label: t.deviceAccess.right[value] }))}
      />
    </BulkDialog>
  );
}

export function TriggerDialog(props: BulkProps) {
  const [deviceId, setDeviceId] = useState<number>();
  const [chosen, setChosen] = useState('');
  const { units } = usePreferences();
  const triggers = useTriggers(deviceId ?? 0, { enabled: deviceId !== undefined });
  const fences = useGeofences();
  const known = (triggers.data ?? []).filter(({ type }) => isKnownType(type));
  const trigger = known.find(({ id }) => String(id) === chosen) ?? known[0];
  const names = { device: '…', other: '…', fences: fences.data ?? [], units };
  return (
    <BulkDialog
      {...props}
      title={words.trigger}
      isReady={trigger !== undefined}
      run={async ({ id }) => {
        const made = await call('createNotificationTrigger')({
          id,
          body: bodyOfDraft(draftOf(trigger!), undefined),
        });
        return () => call('deleteNotificationTrigger')({ id, fk: made.id });
      }}
    >
      <PickDevice label={words.triggerFrom} hint={words.triggerHint} deviceId={deviceId} onChange={setDeviceId} />
      {triggers.data && known.length === 0 && <Notice tone="info">{words.noTriggers}</Notice>}
      {trigger && (
        <SelectField
          label={words.whichTrigger}
          value={String(trigger.id)}
          onChange={setChosen}
          choices={known.map((one) => ({ value: String(one.id), label: sentenceOf(draftOf(one), names) }))}
        />
      )}
    </BulkDialog>
  );
}

/** Settings of a single device, or one-time actions: its firmware, its safe zone, commands. */
const NOT_COPIED = [
  ...['safeZoneId', 'currentFW', 'otaFW', 'fwChannel', 'forceFw', 'updateAvailibility', 'flashTryCount'],
  ...['reset', 'command', 'modified'],
];
const COPIED = Object.keys(deviceConfig.fields).filter(
  (name) => !NOT_COPIED.includes(name) && !isReadOnly(deviceConfig.fields[name]!),
);
const copied = (config: object) => Object.fromEntries(Object.entries(config).filter(([name]) => COPIED.includes(name)));

export function ConfigDialog(props: BulkProps) {
  const [deviceId, setDeviceId] = useState<number>();
  return (
    <BulkDialog
      {...props}
      title={words.config}
      isReady={deviceId !== undefined}
      run={async ({ id }) => {
        const wanted = copied(await call('getDeviceConfig')({ id: deviceId! }));
        const before = copied(await call('getDeviceConfig')({ id }));
        await call('updateDeviceConfig')({ id, body: wanted });
        return () => call('updateDeviceConfig')({ id, body: before });
      }}
    >
      <PickDevice label={words.triggerFrom} hint={words.configHint} deviceId={deviceId} onChange={setDeviceId} />
    </BulkDialog>
  );
}

export function PlanDialog(props: BulkProps) {
  const plans = usePlans();
  const [chosen, setChosen] = useState('');
  const plan = (plans.data ?? []).find(({ id }) => String(id) === chosen) ?? plans.data?.[0];
  return (
    <BulkDialog
      {...props}
      title={words.plan}
      needs="own"
      isReady={plan !== undefined}
      run={async ({ id }) => {
        await call('setDevicePlan')({ id, body: { planId: plan!.id } });
        // The credit is used: ending the plan would not return it.
        return undefined;
      }}
    >
      {plans.data?.length === 0 && <Notice tone="info">{words.noPlans}</Notice>}
      {plan && (
        <SelectField
          label={words.planField}
          hint={words.planHint}
          value={String(plan.id)}
          onChange={setChosen}
          choices={(plans.data ?? []).map(({ id, name }) => ({ value: String(id), label: name ?? `#${id}` }))}
        />
      )}
    </BulkDialog>
  );
}

export function DeleteDialog(props: BulkProps) {
  const [typed, setTyped] = useState('');
  const own = props.devices.filter(({ right }) => right === 'own').length;
  return (
    <BulkDialog
      {...props}
      title={words.deleteTitle({ count: own })}
      needs="own"
      action={words.delete}
      isReady={typed.trim() === String(own)}
      isDangerous
      run={async ({ id }) => {
        await call('deleteDevice')({ id });
        return undefined;
      }}
    >
      <p>{words.deleteText}</p>
      <TextField
        label={words.deleteConfirm({ count: String(own) })}
        value={typed}
        onChange={setTyped}
        inputMode="numeric"
        autoFocus
      />
    </BulkDialog>
  );
}

export function KeylessDialog(props: BulkProps) {
  return (
    <BulkDialog
      {...props}
      title={words.keyless}
      needs="own"
      isReady
      run={async ({ id }) => {
        const { allowKeyless } = await call('getDevice')({ id });
        if (allowKeyless) return undefined;
        await call('updateDevice')({ id, body: { allowKeyless: true } });
        return () => call('updateDevice')({ id, body: { allowKeyless: false } });
      }}
    >
      <p>{words.keylessHint}</p>
    </BulkDialog>
  );
}
