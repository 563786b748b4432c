import { useState } from 'react';
import { useCreateSavedView, useDeleteSavedView, useSavedViews } from '../../api/accounts/saved-views.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.deviceList;
const PAGE = 'devices';

/** The viewer's saved views of the list: filters, order and columns under a name. */
export function ViewMenu({ query, onChoose }: { query: string; onChoose: (query: string) => void }) {
  const views = useSavedViews(PAGE);
  const remove = useDeleteSavedView();
  const [isSaving, setSaving] = useState(false);
  const saved = (views.data ?? []).map(({ id, name, settings }) => ({ id, name, query: String(settings.query ?? '') }));
  const current = saved.find((view) => view.query === query);
  const forget = async ({ id, name }: { id: number; name: string }) => {
    try {
      await remove.mutateAsync({ id: 'me', fk: id });
      toast({ text: words.viewDeleted({ name }), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <>
      <Menu
        label={words.views}
        items={[
          { label: words.allDevices, isOn: query === '', onPress: () => onChoose('') },
          ...saved.map((view) => ({
            label: view.name,
            isOn: view === current,
            onPress: () => onChoose(view.query),
          })),
          { label: words.saveView, icon: 'plus' as const, begins: true, onPress: () => setSaving(true) },
          ...(current
            ? [
                {
                  label: words.deleteView({ name: current.name }),
                  icon: 'trash' as const,
                  isDangerous: true,
                  onPress: () => void forget(current),
                },
              ]
            : []),
        ]}
        button={(props) => (
          <Button icon="eye" shrinks {...props}>
            {current?.name ?? words.views}
          </Button>
        )}
      />
      {isSaving && <SaveView query={query} onClose={() => setSaving(false)} />}
    </>
  );
}

function SaveView({ query, onClose }: { query: string; onClose: () => void }) {
  const create = useCreateSavedView();
  const [name, setName] = useState('');
  const save = async () => {
    try {
      await create.mutateAsync({ id: 'me', body: { page: PAGE, name: name.trim(), settings: { query } } });
      toast({ text: words.viewSaved({ name: name.trim() }), tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={words.saveView}
      action={words.save}
      error={create.error}
      isBusy={create.isPending}
      isReady={name.trim() !== ''}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.viewName}
        hint={words.saveViewHint}
        value={name}
        onChange={setName}
        maxLength={100}
        required
        autoFocus
      />
    </FormDialog>
  );
}
