import { useState } from 'react';
import { type GeofenceList, SELF, useCreateList, useUpdateList } from '../../../api/geofence-lists.ts';
import { t } from '../../../texts/t.ts';
import { TextField } from '../../../ui/fields/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';
import { COLORS, ColorChoice } from '../geofence-colors.tsx';

const words = t.geofenceLists;

/** Creates a list, or changes its name and colour. */
export function ListForm({
  list,
  onDone,
  onClose,
}: {
  list?: GeofenceList;
  onDone?: (list: GeofenceList) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(list?.name ?? '');
  const [color, setColor] = useState<string | null>(list?.color ?? COLORS.blue);
  const create = useCreateList();
  const update = useUpdateList();
  const error = create.error ?? update.error;
  const save = async () => {
    const body = { name: name.trim(), color: color ?? COLORS.blue };
    if (body.name === '') return;
    try {
      const saved = list
        ? await update.mutateAsync({ userid: SELF, listid: list.id, body })
        : await create.mutateAsync({ userid: SELF, body });
      toast({ text: list ? words.saved : words.created({ name: saved.name }), tone: 'good' });
      onClose();
      onDone?.(saved);
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={list ? words.editTitle : words.newTitle}
      action={list ? common.save : words.create}
      error={error}
      isBusy={create.isPending || update.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={name}
        onChange={setName}
        maxLength={200}
        required
        autoFocus
      />
      <ColorChoice value={color} onChange={setColor} isRequired />
    </FormDialog>
  );
}
