import { useState } from 'react';
import { branchesOf, type DeviceGroup, ME, useCreateGroup, useGroups, useUpdateGroup } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.groups;

/** Creates a group, or changes its name and parent. */
export function GroupForm({
  group,
  parentId: below,
  onDone,
  onClose,
}: {
  group?: DeviceGroup;
  parentId?: number;
  onDone?: (group: DeviceGroup) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(group?.name ?? '');
  const [parentId, setParentId] = useState<number | null>(group ? group.parentId : (below ?? null));
  const create = useCreateGroup();
  const update = useUpdateGroup();
  const error = create.error ?? update.error;
  const own = (useGroups().data ?? []).filter(({ right }) => right === 'own');
  const save = async () => {
    const body = { name: name.trim(), parentId };
    if (body.name === '') return;
    try {
      const saved = group
        ? await update.mutateAsync({ id: ME, fk: group.id, body })
        : await create.mutateAsync({ id: ME, body });
      toast({ text: group ? words.saved : words.created({ name: saved.name }), tone: 'good' });
      onClose();
      onDone?.(saved);
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={group ? words.editTitle : words.newTitle}
      action={group ? common.save : words.create}
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
      <SelectField
        label={words.parent}
        value={parentId === null ? '' : String(parentId)}
        choices={[
          { value: '', label: words.top },
          ...branchesOf(own)
            .filter(({ group: { id } }) => !isWithin(own, id, group?.id))
            .map(({ group: one, level }) => ({ value: String(one.id), label: `${'  '.repeat(level)}${one.name}` })),
        ]}
        onChange={(value) => setParentId(value === '' ? null : Number(value))}
      />
    </FormDialog>
  );
}

/** Whether a group is another one or a subgroup of it: a group cannot be moved there. */
function isWithin(groups: readonly DeviceGroup[], id: number | null, other: number | undefined): boolean {
  if (id === null || other === undefined) return false;
  if (id === other) return true;
  return isWithin(groups, groups.find((one) => one.id === id)?.parentId ?? null, other);
}
