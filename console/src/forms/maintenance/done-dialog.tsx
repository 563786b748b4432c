import { useState } from 'react';
import { type MaintenanceTask, useCompleteTask } from '../../api/fleet-tools/maintenance.ts';
import { dayKey } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { NumberField, TextArea, TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { scales } from '../trigger-units.ts';
import { timeOfDay } from './task-draft.ts';

const words = t.maintenance;

/** Opens the dialog below from a row of tasks. */
export function DoneButton({ task, onClick }: { task: MaintenanceTask; onClick: () => void }) {
  return (
    <Button size="small" icon="check" shrinks aria-label={words.doneOf({ name: task.name })} onClick={onClick}>
      {words.done}
    </Button>
  );
}

/** Records that a task was done. */
export function DoneDialog({ task, onClose }: { task: MaintenanceTask; onClose: () => void }) {
  const { way } = scales(useFormat().units);
  const [day, setDay] = useState(() => dayKey(Date.now()));
  const [odometer, setOdometer] = useState<number | null>(null);
  const [note, setNote] = useState('');
  const complete = useCompleteTask();
  const save = async () => {
    const doneAt = timeOfDay(day, Date.now(), task.since);
    const body = {
      doneAt,
      ...(odometer !== null && { odometer: way.kept(odometer) }),
      ...(note.trim() !== '' && { note: note.trim() }),
    };
    try {
      await complete.mutateAsync({ id: task.deviceId, fk: task.id, body });
      toast({ text: words.noted, tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <FormDialog
      title={words.doneTitle({ name: task.name })}
      action={words.done}
      error={complete.error}
      isBusy={complete.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.doneWhen}
        type="date"
        value={day}
        min={dayKey(task.since)}
        max={dayKey(Date.now())}
        onChange={setDay}
        required
      />
      <NumberField label={words.odometer} value={odometer} onChange={setOdometer} unit={way.unit} min={0} />
      <TextArea
        label={words.doneNote}
        placeholder={words.doneNotePlaceholder}
        value={note}
        onChange={setNote}
        maxLength={2000}
      />
    </FormDialog>
  );
}
