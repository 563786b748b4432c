import { DEVICE_ICONS, type DeviceIcon, deviceIconOf } from '@trackway/contract/device-icons.ts';
import { useState } from 'react';
import { useMe } from '../../api/accounts/users.ts';
import { type Device, useUpdateDevice } from '../../api/devices.ts';
import { noteDevice } from '../../api/live/fleet.ts';
import { placeInText, setPlaceText, withSetPlace } from '../../forms/set-place.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldRow, FieldStack, NumberField, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Switch } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words } from '../../ui/words.ts';
import { DeviceColor } from './device-color.tsx';
import { nameOf } from './name-of.ts';

/** Other values of `meta` are custom data and stay unchanged. */
function withIcon(meta: Device['meta'], icon: DeviceIcon | ''): Device['meta'] {
  const { icon: _, ...rest } = meta ?? {};
  const next = icon === '' ? rest : { ...rest, icon };
  return Object.keys(next).length === 0 ? null : next;
}

const MAC = /^([0-9a-f]{2}[:-]?){5}[0-9a-f]{2}$/i;
const CLAIMABLE = ['no', 'yes', 'keepHistory'] as const;
const orNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** The name and identifiers of a device. */
export function DeviceForm({ device, mayOwn, onClose }: { device: Device; mayOwn: boolean; onClose: () => void }) {
  const update = useUpdateDevice();
  const me = useMe().data;
  // Only devices of an admin can be offered for claiming.
  const mayOffer = me?.admin === true && me.id === device.ownerId;
  const [draft, setDraft] = useState({
    name: device.name ?? '',
    color: device.color,
    icon: DEVICE_ICONS.find((icon) => icon === device.meta?.icon) ?? ('' as const),
    type: device.type ?? '',
    imei: device.imei ?? '',
    serial: device.serial ?? '',
    iccid: device.iccid ?? '',
    btMacAddress: device.btMacAddress ?? '',
    setPlace: setPlaceText(device.meta),
    active: device.active,
    allowKeyless: device.allowKeyless,
    commandsFrom: (device.commandsFrom ?? []).join(', '),
    claimable: device.claimable,
    keepDays: device.keepDays,
  });
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change });
  const isBadMac = draft.btMacAddress.trim() !== '' && !MAC.test(draft.btMacAddress.trim());

  const setPlace = placeInText(draft.setPlace);
  const needsSerial = draft.claimable !== 'no' && draft.serial.trim() === '';

  const save = async () => {
    if (isBadMac || needsSerial || setPlace === undefined) return;
    const {
      allowKeyless,
      commandsFrom,
      btMacAddress,
      claimable,
      keepDays,
      setPlace: setPlaceNow,
      icon,
      ...rest
    } = draft;
    const isOtherIcon = icon !== (device.meta?.icon ?? '');
    const isOtherPlace = setPlaceNow !== setPlaceText(device.meta);
    const placed = isOtherPlace ? withSetPlace(device.meta, setPlace) : device.meta;
    const body = {
      ...rest,
      name: orNull(draft.name),
      type: orNull(draft.type),
      imei: orNull(draft.imei),
      serial: orNull(draft.serial),
      iccid: orNull(draft.iccid),
      ...(btMacAddress !== (device.btMacAddress ?? '') && { btMac: orNull(btMacAddress) }),
      ...((isOtherPlace || isOtherIcon) && { meta: isOtherIcon ? withIcon(placed, icon) : placed }),
      ...(mayOwn && { allowKeyless, keepDays }),
      ...(mayOwn &&
        commandsFrom !== (device.commandsFrom ?? []).join(', ') && {
          commandsFrom: commandsFrom.split(/[\s,]+/).filter(Boolean),
        }),
      ...(mayOffer && { claimable }),
    };
    try {
      const saved = await update.mutateAsync({ id: device.id, body });
      const shown = deviceIconOf(saved.meta?.icon, saved.type);
      noteDevice(device.id, { name: nameOf(saved), color: saved.color, type: saved.type, icon: shown });
      toast({ text: t.device.saved, tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <Dialog
      title={t.device.editTitle}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={update.isPending}>
            {words.save}
          </Button>
        </>
      }
    >
      <FieldStack>
        {update.error && <Notice tone="danger">{problemOf(update.error)}</Notice>}
        <TextField
          label={t.device.name}
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={200}
          autoFocus
        />
        <SelectField
          label={t.device.icon}
          hint={t.device.iconHint}
          value={draft.icon}
          onChange={(icon) => set({ icon })}
          choices={[
            { value: '' as const, label: t.device.usualIcon },
            ...DEVICE_ICONS.map((value) => ({ value, label: t.device.icons[value] })),
          ]}
        />
        <DeviceColor value={draft.color} onChange={(color) => set({ color })} />
        <TextField
          label={t.device.type}
          hint={t.device.typeHint}
          value={draft.type}
          onChange={(type) => set({ type })}
          maxLength={100}
        />
        <FieldRow>
          <TextField label={t.device.imei} value={draft.imei} onChange={(imei) => set({ imei })} maxLength={64} />
          <TextField
            label={t.device.serial}
            value={draft.serial}
            onChange={(serial) => set({ serial })}
            problem={needsSerial ? t.device.needsSerial : undefined}
            maxLength={64}
          />
        </FieldRow>
        <FieldRow>
          <TextField label={t.device.iccid} value={draft.iccid} onChange={(iccid) => set({ iccid })} maxLength={64} />
          <TextField
            label={t.device.btMac}
            hint={t.device.btMacHint}
            problem={isBadMac ? t.device.badMac : undefined}
            value={draft.btMacAddress}
            onChange={(btMacAddress) => set({ btMacAddress })}
            maxLength={17}
          />
        </FieldRow>
        <TextField
          label={t.device.setPlace}
          hint={t.device.setPlaceHint}
          problem={setPlace === undefined ? t.device.badSetPlace : undefined}
          value={draft.setPlace}
          onChange={(place) => set({ setPlace: place })}
          maxLength={60}
        />
        {mayOwn && (
          <NumberField
            label={t.device.keepDays}
            hint={t.device.keepDaysHint}
            unit={t.plans.dayUnit}
            value={draft.keepDays}
            onChange={(keepDays) => set({ keepDays })}
            min={1}
            max={36_500}
            step={1}
          />
        )}
        {mayOffer && (
          <SelectField
            label={t.device.claimable}
            hint={t.device.claimableHint}
            value={draft.claimable}
            onChange={(claimable) => set({ claimable })}
            choices={CLAIMABLE.map((value) => ({ value, label: t.device.claimables[value] }))}
          />
        )}
        <Switch
          label={t.device.active}
          hint={t.device.activeHint}
          isOn={draft.active}
          onChange={(active) => set({ active })}
        />
        {mayOwn && (
          <Switch
            label={t.device.keyless}
            hint={t.device.keylessHint}
            isOn={draft.allowKeyless}
            onChange={(allowKeyless) => set({ allowKeyless })}
          />
        )}
        {mayOwn && device.supportedCommands !== null && (
          <TextField
            label={t.device.commandsFrom}
            hint={t.device.commandsFromHint}
            value={draft.commandsFrom}
            onChange={(commandsFrom) => set({ commandsFrom })}
            maxLength={1300}
            spellCheck={false}
          />
        )}
      </FieldStack>
    </Dialog>
  );
}
