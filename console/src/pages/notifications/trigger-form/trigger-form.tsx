import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../../api/calls.ts';
import { useGeofences } from '../../../api/geofences.ts';
import { useNamedDevice } from '../../../api/named-device.ts';
import { type Trigger, useCreateTrigger, useUpdateTrigger } from '../../../api/triggers.ts';
import { useFormat } from '../../../format/use-format.ts';
import { PickDevice } from '../../../forms/pick-device.tsx';
import { bodyOfDraft, type TriggerDraft, withType } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { TYPE_FORMS } from '../../../forms/trigger-types.ts';
import { minutes } from '../../../forms/trigger-units.ts';
import { NEW_WATCH, watchBodyOf, watchDraftOf } from '../../../forms/watch-draft.ts';
import { WatchFields } from '../../../forms/watch-fields.tsx';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldStack, NumberField, TextField } from '../../../ui/fields/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Card } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { TriggerFields } from './trigger-fields.tsx';
import css from './trigger-form.module.css';
import { TryTrigger } from './trigger-try.tsx';
import { TypePicker } from './trigger-type-picker.tsx';
import { WayFields } from './trigger-ways.tsx';

const words = t.triggers;

/** Makes a trigger, or changes one; what it will do stands above it as a sentence. */
export function TriggerForm({
  trigger,
  start,
  onDone,
  onCancel,
}: {
  trigger?: Trigger;
  start: TriggerDraft;
  onDone: (trigger: Trigger) => void;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState(start);
  const [isTried, setTried] = useState(false);
  const [watch, setWatch] = useState(trigger ? watchDraftOf(trigger) : NEW_WATCH);
  const create = useCreateTrigger();
  const update = useUpdateTrigger();
  const error = create.error ?? update.error;
  const set = (change: Partial<TriggerDraft>) => setDraft((now) => ({ ...now, ...change }));
  const right = useRead('getDeviceAccess', { id: draft.deviceId ?? 0 }, { enabled: draft.deviceId !== undefined });
  const mayNot = right.data?.right === 'view';

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.deviceId === undefined || draft.type === undefined) return;
    const body = { ...bodyOfDraft(draft, trigger), ...watchBodyOf(watch, trigger) };
    try {
      onDone(
        trigger
          ? await update.mutateAsync({ id: draft.deviceId, fk: trigger.id, body })
          : await create.mutateAsync({ id: draft.deviceId, body }),
      );
    } catch {
      // Shown below.
    }
  };

  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <Preview draft={draft} />
      <div className={css.columns}>
        <div className={css.column}>
          <Card title={words.when}>
            <FieldStack>
              {!trigger && (
                <PickDevice
                  label={words.device}
                  placeholder={words.pickDevice}
                  problem={isTried && draft.deviceId === undefined ? words.needsDevice : undefined}
                  deviceId={draft.deviceId}
                  onChange={(deviceId) => set({ deviceId })}
                />
              )}
              {mayNot && <Notice tone="warn">{words.mayNotManage}</Notice>}
              <TypeFields draft={draft} onDraft={setDraft} />
            </FieldStack>
          </Card>
          {draft.type && <TryTrigger draft={draft} />}
        </div>
        {draft.type && (
          <div className={css.column}>
            <Card title={words.how}>
              <WayFields draft={draft} onChange={set} />
            </Card>
            <Card title={words.rest}>
              <FieldStack>
                <NumberField
                  label={words.muteFor}
                  hint={words.muteForHint}
                  unit={minutes.unit}
                  min={0}
                  value={minutes.shown(draft.muteFor)}
                  onChange={(shown) => set({ muteFor: minutes.kept(shown ?? 0) })}
                />
                <TextField
                  label={words.name}
                  hint={words.nameHint}
                  maxLength={200}
                  placeholder={words.types[draft.type].label}
                  value={draft.name}
                  onChange={(name) => set({ name })}
                />
              </FieldStack>
            </Card>
            <Card title={t.rules.watch}>
              <WatchFields draft={watch} onChange={setWatch} />
            </Card>
            {error && <Notice tone="danger">{problemOf(error)}</Notice>}
            <div className={css.foot}>
              <Button onClick={onCancel}>{words.cancel}</Button>
              <Button type="submit" kind="primary" disabled={mayNot} isBusy={create.isPending || update.isPending}>
                {trigger ? words.save : words.create}
              </Button>
            </div>
          </div>
        )}
      </div>
    </form>
  );
}

/** Which kind it is, all kinds in sight until one is chosen, and what that kind asks for. */
export function TypeFields({
  draft,
  onDraft,
}: {
  draft: TriggerDraft;
  onDraft: (change: (now: TriggerDraft) => TriggerDraft) => void;
}) {
  const [isChoosing, setChoosing] = useState(draft.type === undefined);
  if (isChoosing || draft.type === undefined)
    return (
      <>
        <span className={css.label}>{words.chooseType}</span>
        <TypePicker
          value={draft.type}
          onChange={(type: TriggerTypeName) => {
            onDraft((now) => withType(now, type));
            setChoosing(false);
          }}
        />
      </>
    );
  const { label, about } = words.types[draft.type];
  return (
    <>
      <div className={css.chosenType}>
        <Icon name={TYPE_FORMS[draft.type].icon} size={22} />
        <span>
          <strong>{label}</strong>
          <span className={css.soft}>{about}</span>
        </span>
        <Button size="small" onClick={() => setChoosing(true)}>
          {words.changeType}
        </Button>
      </div>
      <TriggerFields
        key={draft.type}
        type={draft.type}
        parameters={draft.parameters}
        onChange={(change) => onDraft((now) => ({ ...now, parameters: { ...now.parameters, ...change } }))}
      />
    </>
  );
}

/** The trigger as one would say it. */
function Preview({ draft }: { draft: TriggerDraft }) {
  const { units } = useFormat();
  const { device } = useNamedDevice(draft.deviceId);
  const otherId = typeof draft.parameters.deviceId === 'number' ? draft.parameters.deviceId : undefined;
  const { device: other } = useNamedDevice(otherId);
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  if (draft.type === undefined) return null;
  return (
    <p className={css.sentence} aria-live="polite" data-testid="sentence">
      {sentenceOf(draft, {
        device: device?.name ?? (draft.deviceId ? words.unnamedDevice(draft.deviceId) : words.someDevice),
        other: other?.name ?? words.anotherDevice,
        fences,
        units,
      })}
    </p>
  );
}
