import { useState } from 'react';
import { type Driver, ME, useCreateDriver, useUpdateDriver } from '../../api/fleet-tools/drivers.ts';
import { t } from '../../texts/t.ts';
import { TextArea, TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.drivers;

/** Creates or edits a driver. */
export function DriverForm({ driver, onClose }: { driver?: Driver; onClose: () => void }) {
  const [name, setName] = useState(driver?.name ?? '');
  const [phone, setPhone] = useState(driver?.phone ?? '');
  const [tags, setTags] = useState((driver?.tags ?? []).join('\n'));
  const [note, setNote] = useState(driver?.note ?? '');
  const create = useCreateDriver();
  const update = useUpdateDriver();
  const save = async () => {
    if (name.trim() === '') return;
    const listed = tags
      .split(/[\n,;]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    const body = { name: name.trim(), phone: phone.trim() || null, tags: listed, note: note.trim() || null };
    try {
      if (driver) await update.mutateAsync({ id: ME, fk: driver.id, body });
      else await create.mutateAsync({ id: ME, body });
      toast({ text: words.saved, tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={driver ? words.editTitle : words.addTitle}
      action={driver ? common.save : words.create}
      error={create.error ?? update.error}
      isBusy={create.isPending || update.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField label={words.name} value={name} onChange={setName} maxLength={200} required autoFocus />
      <TextField label={words.phone} type="tel" value={phone} onChange={setPhone} maxLength={50} autoComplete="off" />
      <TextArea label={words.tags} hint={words.tagsHint} value={tags} onChange={setTags} rows={2} isCode />
      <TextArea label={words.note} value={note} onChange={setNote} rows={2} maxLength={2000} />
    </FormDialog>
  );
}
