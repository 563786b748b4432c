import { DEFAULT_DELIVERY } from '@trackway/contract/channels.ts';
import { useState } from 'react';
import { type MaintenanceTask, useCreateTask, useUpdateTask } from '../../api/fleet-tools/maintenance.ts';
import { useCreateTrigger, useTriggers } from '../../api/triggers.ts';
import { dayKey } from '../../format/times.ts';
import { useFormat } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { FieldRow, NumberField, SelectField, TextArea, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';
import { PickDevice } from '../pick-device.tsx';
import { scales } from '../trigger-units.ts';
import { bodyOf, draftOf, isDueSomehow, newTask, type TaskDraft } from './task-draft.ts';
import css from './task-form.module.css';

const words = t.maintenance;

/** Creates a task of a device, or replaces one. */
export function TaskForm({
  deviceId: given,
  task,
  onClose,
}: {
  /** Absent: the viewer chooses it. */
  deviceId?: number;
  task?: MaintenanceTask;
  onClose: () => void;
}) {
  const { way } = scales(useFormat().units);
  const [draft, setDraft] = useState<TaskDraft>(() => (task ? draftOf(task, way) : newTask(Date.now())));
  const [deviceId, setDeviceId] = useState(given);
  const [notifies, setNotifies] = useState(true);
  const [isSent, setSent] = useState(false);
  const create = useCreateTask();
  const update = useUpdateTask();
  const remind = useCreateTrigger();
  const triggers = useTriggers(deviceId ?? 0, { enabled: deviceId !== undefined });
  const isNotified = triggers.data === undefined || triggers.data.some(({ type }) => type === 'maintenance');
  const change = (part: Partial<TaskDraft>) => setDraft((before) => ({ ...before, ...part }));

  const save = async () => {
    setSent(true);
    if (deviceId === undefined || draft.name.trim() === '' || !isDueSomehow(draft)) return;
    try {
      const body = bodyOf(draft, way, Date.now(), task);
      if (task) await update.mutateAsync({ id: deviceId, fk: task.id, body });
      else await create.mutateAsync({ id: deviceId, body });
      if (!isNotified && notifies)
        await remind.mutateAsync({
          id: deviceId,
          body: { type: 'maintenance', name: words.title, delivery: DEFAULT_DELIVERY },
        });
      toast({ text: words.saved, tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  const number = (label: string, name: NumberName, unit?: string) => (
    <NumberField
      label={label}
      value={draft[name]}
      onChange={(value) => change({ [name]: value })}
      min={name.endsWith('Months') || name.endsWith('Days') ? 1 : 0}
      step={name.endsWith('Months') || name.endsWith('Days') ? 1 : 'any'}
      {...(unit && { unit })}
    />
  );
  const hasDate = draft.everyMonths !== null || draft.dueOn !== '';
  const canRemind = draft.every !== null || draft.everyHours !== null || hasDate;
  return (
    <FormDialog
      title={task ? words.editTitle : words.addTitle}
      action={task ? common.save : words.create}
      error={create.error ?? update.error ?? remind.error}
      isBusy={create.isPending || update.isPending || remind.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      {given === undefined && (
        <PickDevice
          label={words.device}
          deviceId={deviceId}
          onChange={setDeviceId}
          {...(isSent && deviceId === undefined && { problem: words.deviceMissing })}
        />
      )}
      <TextField
        label={words.name}
        placeholder={words.namePlaceholder}
        value={draft.name}
        onChange={(name) => change({ name })}
        maxLength={200}
        required
        autoFocus={given !== undefined}
      />
      <fieldset className={css.part}>
        <legend>{words.after}</legend>
        <p className={css.hint}>{words.afterHint}</p>
        <FieldRow>
          {number(words.distance, 'every', way.unit)}
          {number(words.months, 'everyMonths')}
        </FieldRow>
        <FieldRow>
          {number(words.hours, 'everyHours', words.hourUnit)}
          <SelectField
            label={words.hoursOf}
            value={draft.hoursOf}
            onChange={(hoursOf) => change({ hoursOf })}
            choices={[
              { value: 'driving', label: words.hoursWords.driving },
              { value: 'engine', label: words.hoursWords.engine },
            ]}
          />
        </FieldRow>
        <TextField
          label={words.dueOn}
          type="date"
          value={draft.dueOn}
          onChange={(dueOn) => change({ dueOn })}
          problem={isSent && !isDueSomehow(draft) ? words.missing : undefined}
        />
      </fieldset>
      {canRemind && (
        <fieldset className={css.part}>
          <legend>{words.remind}</legend>
          <FieldRow>
            {draft.every !== null && number(words.distance, 'remind', way.unit)}
            {draft.everyHours !== null && number(words.hours, 'remindHours', words.hourUnit)}
            {hasDate && number(words.days, 'remindDays')}
          </FieldRow>
        </fieldset>
      )}
      <FieldRow>
        <TextField
          label={words.since}
          hint={words.sinceHint}
          type="date"
          value={draft.since}
          max={dayKey(Date.now())}
          onChange={(since) => change({ since })}
        />
        {number(words.odometer, 'odometer', way.unit)}
      </FieldRow>
      <TextArea label={words.note} value={draft.note} onChange={(note) => change({ note })} rows={2} maxLength={2000} />
      {!isNotified && <Checkbox label={words.notify} hint={words.notifyHint} isOn={notifies} onChange={setNotifies} />}
    </FormDialog>
  );
}

type NumberName = {
  [Name in keyof TaskDraft]: TaskDraft[Name] extends number | null ? Name : never;
}[keyof TaskDraft];
