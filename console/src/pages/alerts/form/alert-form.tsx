import { useMutation } from '@tanstack/react-query';
import { CHANNEL_KINDS } from '@trackway/contract/channels.ts';
import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../../api/calls.ts';
import { useGeofences } from '../../../api/geofences.ts';
import { useGroups } from '../../../api/many/groups.ts';
import { useNamedDevice } from '../../../api/named-device.ts';
import { useSubscriptions } from '../../../api/push.ts';
import { useServerInfo } from '../../../api/server-info.ts';
import { useFormat } from '../../../format/use-format.ts';
import { type TriggerDraft, withType } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { TYPE_FORMS } from '../../../forms/trigger-types.ts';
import { minutes } from '../../../forms/trigger-units.ts';
import { NEW_WATCH, watchDraftOf } from '../../../forms/watch-draft.ts';
import { WatchFields } from '../../../forms/watch-fields.tsx';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { FieldStack, NumberField, TextField } from '../../../ui/fields/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Card } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import css from './alert-form.module.css';
import { WayFields } from './channel-fields.tsx';
import { TriggerFields } from './condition-fields.tsx';
import { saveAlert } from './save-alert.ts';
import { TryTrigger } from './try-condition.tsx';
import { TypePicker } from './type-picker.tsx';
import { type Alert, extentInWords, type Who } from './who.ts';
import { problemIn, WhoFields } from './who-fields.tsx';

const words = t.triggers;

/** Creates an alert, or changes one: who, what, and whom to notify. A sentence above says what it will do. */
export function AlertForm({
  alert,
  start,
  onDone,
  onCancel,
}: {
  alert?: Alert;
  start: { readonly draft: TriggerDraft; readonly who: Who; readonly isFixed?: boolean };
  onDone: () => void;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState(start.draft);
  const [who, setWho] = useState(start.who);
  const [isTried, setTried] = useState(false);
  const [watch, setWatch] = useState(alert ? watchDraftOf(alert) : NEW_WATCH);
  const save = useMutation({ mutationFn: () => saveAlert(alert, draft, who, watch), onSuccess: onDone });
  const set = (change: Partial<TriggerDraft>) => setDraft((now) => ({ ...now, ...change }));
  const deviceId = who.appliesTo === 'device' ? who.deviceId : undefined;
  const right = useRead('getDeviceAccess', { id: deviceId ?? 0 }, { enabled: deviceId !== undefined });
  const mayNot = deviceId !== undefined && right.data?.right === 'view';
  const problem = problemIn(who);
  const setUp = useServerInfo().data?.channels;
  const browsers = useSubscriptions().data;
  const reachesSomebody = CHANNEL_KINDS.some(
    (way) => draft.ways[way] && setUp?.[way] !== false && (way !== 'push' || browsers?.length !== 0),
  );
  const [asks, setAsks] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.type === undefined || problem !== undefined) return;
    if (reachesSomebody) save.mutate();
    else setAsks(true);
  };

  return (
    <form className={css.form} onSubmit={submit}>
      <Preview draft={draft} who={who} />
      <div className={css.columns}>
        <div className={css.column}>
          {!start.isFixed && (
            <Card title={t.alerts.who}>
              <WhoFields who={who} problem={isTried ? problem : undefined} onChange={setWho} />
              {mayNot && <Notice tone="warn">{words.mayNotManage}</Notice>}
            </Card>
          )}
          <Card title={t.alerts.what}>
            <FieldStack>
              <TypeFields draft={draft} onDraft={setDraft} />
            </FieldStack>
          </Card>
          {draft.type && who.appliesTo === 'device' && <TryTrigger draft={draft} deviceId={deviceId} />}
        </div>
        {draft.type && (
          <div className={css.column}>
            <Card title={t.alerts.whom}>
              <WayFields draft={draft} onChange={set} />
            </Card>
            <Card title={t.rules.watch}>
              <WatchFields draft={watch} onChange={setWatch} />
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
            {save.error && <Notice tone="danger">{problemOf(save.error)}</Notice>}
            <div className={css.foot}>
              <Button onClick={onCancel}>{words.cancel}</Button>
              <Button type="submit" kind="primary" disabled={mayNot} isBusy={save.isPending}>
                {alert ? words.save : t.alerts.create}
              </Button>
            </div>
          </div>
        )}
      </div>
      {asks && (
        <ConfirmDialog
          title={t.alerts.nobodyTitle}
          action={t.alerts.nobodySave}
          onConfirm={() => {
            setAsks(false);
            save.mutate();
          }}
          onClose={() => setAsks(false)}
        >
          {t.alerts.nobodyText}
        </ConfirmDialog>
      )}
    </form>
  );
}

/** The type, with all types visible until one is selected, and its fields. */
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

/** The alert as a sentence. */
function Preview({ draft, who }: { draft: TriggerDraft; who: Who }) {
  const { units } = useFormat();
  const { device } = useNamedDevice(who.deviceId);
  const otherId = typeof draft.parameters.deviceId === 'number' ? draft.parameters.deviceId : undefined;
  const { device: other } = useNamedDevice(otherId);
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  const groups = useGroups().data ?? [];
  if (draft.type === undefined) return null;
  const { appliesTo, deviceId } = who;
  const one = device?.name ?? (deviceId ? words.unnamedDevice({ id: deviceId }) : undefined);
  return (
    <p className={css.sentence} aria-live="polite" data-testid="sentence">
      {sentenceOf(draft, {
        ...(appliesTo !== 'device'
          ? extentInWords({ ...who, appliesTo }, groups)
          : {
              device: one ?? words.someDevice({ role: 'other' }),
              ofDevice: one ?? words.someDevice({ role: 'of' }),
            }),
        other: other?.name ?? words.anotherDevice,
        fences,
        units,
      })}
    </p>
  );
}
