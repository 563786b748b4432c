import { useState } from 'react';
import type { Device } from '../../../api/devices.ts';
import { useUpdateVehicle, type Vehicle } from '../../../api/fleet-tools/vehicles.ts';
import { noteDevice } from '../../../api/live/fleet.ts';
import { useFormat } from '../../../format/use-format.ts';
import { scales } from '../../../forms/trigger-units.ts';
import { t } from '../../../texts/t.ts';
import { Field as Labelled, NumberField, TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';
import { base64Of, smallPhoto } from './small-photo.ts';

const words = t.vehicle;

/** Edits plate, VIN, odometer and photo. */
export function VehicleForm({ device, vehicle, onClose }: { device: Device; vehicle: Vehicle; onClose: () => void }) {
  const update = useUpdateVehicle();
  const { way } = scales(useFormat().units);
  const current = vehicle.odometer === null ? null : Math.round(way.shown(vehicle.odometer));
  const [plate, setPlate] = useState(vehicle.plate ?? '');
  const [vin, setVin] = useState(vehicle.vin ?? '');
  const [odometer, setOdometer] = useState(current);
  /** In base64. Undefined: unchanged; null: removed. */
  const [photo, setPhoto] = useState<string | null>();
  const [problem, setProblem] = useState<string>();
  const take = async (file: File | undefined) => {
    setProblem(undefined);
    try {
      setPhoto(file && base64Of(await smallPhoto(file)));
    } catch {
      setPhoto(undefined);
      setProblem(words.noPhoto);
    }
  };
  const save = async () => {
    const body = {
      ...{ plate: plate.trim() || null, vin: vin.trim() || null },
      // Only what was changed: it is counted from the moment it is entered.
      ...(odometer !== current && { odometer: odometer === null ? null : way.kept(odometer) }),
      ...(photo !== undefined && { photo }),
    };
    try {
      const saved = await update.mutateAsync({ id: device.id, body });
      noteDevice(device.id, { plate: saved.plate });
      toast({ text: words.saved, tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={words.editTitle}
      action={common.save}
      error={update.error}
      isBusy={update.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={words.plate} value={plate} onChange={setPlate} maxLength={40} autoFocus />
      <TextField label={words.vin} value={vin} onChange={setVin} maxLength={40} />
      <NumberField
        label={words.odometer}
        hint={words.odometerHint}
        value={odometer}
        onChange={setOdometer}
        unit={way.unit}
        min={0}
      />
      <Labelled
        label={words.photo}
        hint={words.photoHint}
        problem={problem}
        control={(tied) => (
          <input {...tied} type="file" accept="image/*" onChange={({ target }) => void take(target.files?.[0])} />
        )}
      />
      {vehicle.hasPhoto && (
        <Checkbox
          label={words.removePhoto}
          isOn={photo === null}
          onChange={(removes) => setPhoto(removes ? null : undefined)}
        />
      )}
    </FormDialog>
  );
}
