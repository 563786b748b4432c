import { type FormEvent, useState } from 'react';
import { useGeofences } from '../../../api/geofences.ts';
import { branchesOf, useGroups } from '../../../api/many/groups.ts';
import { type Rule, useCreateRule, useUpdateRule } from '../../../api/many/rules.ts';
import { useFormat } from '../../../format/use-format.ts';
import { bodyOfDraft, newDraft, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { minutes } from '../../../forms/trigger-units.ts';
import { NEW_WATCH, watchBodyOf, watchDraftOf } from '../../../forms/watch-draft.ts';
import { WatchFields } from '../../../forms/watch-fields.tsx';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldStack, NumberField, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import css from '../trigger-form/trigger-form.module.css';
import { TypeFields } from '../trigger-form/trigger-form.tsx';
import { WayFields } from '../trigger-form/trigger-ways.tsx';
import { draftOfRule, type Extent, extentInWords } from './rule-extent.ts';

const words = t.rules;

/** Makes a rule, or changes one; the same sentence as that of a trigger, for many devices. */
export function RuleForm({
  rule,
  start,
  onDone,
  onCancel,
}: {
  rule?: Rule;
  start: Extent;
  onDone: (rule: Rule) => void;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState<TriggerDraft>(rule ? draftOfRule(rule) : newDraft(undefined, undefined, {}));
  const [extent, setExtent] = useState<Extent>(start);
  const [watch, setWatch] = useState(rule ? watchDraftOf(rule) : NEW_WATCH);
  const [isTried, setTried] = useState(false);
  const create = useCreateRule();
  const update = useUpdateRule();
  const error = create.error ?? update.error;
  const set = (change: Partial<TriggerDraft>) => setDraft((now) => ({ ...now, ...change }));
  const problem = problemIn(extent);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.type === undefined || problem !== undefined) return;
    const { appliesTo, groupId, tag } = extent;
    const body = {
      ...bodyOfDraft(draft, rule && { ...rule, deviceId: 0, lastTriggered: null, meta: null }),
      ...watchBodyOf(watch, rule),
      appliesTo,
      groupId: appliesTo === 'group' ? groupId : null,
      tag: appliesTo === 'tag' ? tag : null,
    };
    try {
      onDone(
        rule ? await update.mutateAsync({ id: 'me', fk: rule.id, body }) : await create.mutateAsync({ id: 'me', body }),
      );
    } catch {
      // Shown below.
    }
  };

  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <Sentence draft={draft} extent={extent} />
      <div className={css.columns}>
        <div className={css.column}>
          <Card title={words.extent}>
            <ExtentFields extent={extent} problem={isTried ? problem : undefined} onChange={setExtent} />
          </Card>
          <Card title={t.triggers.when}>
            <FieldStack>
              <TypeFields draft={draft} onDraft={setDraft} />
            </FieldStack>
          </Card>
        </div>
        {draft.type && (
          <div className={css.column}>
            <Card title={t.triggers.how}>
              <WayFields draft={draft} onChange={set} />
            </Card>
            <Card title={t.triggers.rest}>
              <FieldStack>
                <NumberField
                  label={t.triggers.muteFor}
                  hint={t.triggers.muteForHint}
                  unit={minutes.unit}
                  min={0}
                  value={minutes.shown(draft.muteFor)}
                  onChange={(shown) => set({ muteFor: minutes.kept(shown ?? 0) })}
                />
                <TextField
                  label={t.triggers.name}
                  hint={t.triggers.nameHint}
                  maxLength={200}
                  placeholder={t.triggers.types[draft.type].label}
                  value={draft.name}
                  onChange={(name) => set({ name })}
                />
              </FieldStack>
            </Card>
            <Card title={words.watch}>
              <WatchFields draft={watch} onChange={setWatch} />
            </Card>
            {error && <Notice tone="danger">{problemOf(error)}</Notice>}
            <div className={css.foot}>
              <Button onClick={onCancel}>{words.cancel}</Button>
              <Button type="submit" kind="primary" isBusy={create.isPending || update.isPending}>
                {rule ? t.triggers.save : words.create}
              </Button>
            </div>
          </div>
        )}
      </div>
    </form>
  );
}

function problemIn({ appliesTo, groupId, tag }: Extent): string | undefined {
  if (appliesTo === 'group' && groupId === null) return words.needsGroup;
  if (appliesTo === 'tag' && !tag?.trim()) return words.needsTag;
  return undefined;
}

function ExtentFields({
  extent,
  problem,
  onChange,
}: {
  extent: Extent;
  problem: string | undefined;
  onChange: (extent: Extent) => void;
}) {
  const groups = (useGroups().data ?? []).filter(({ right }) => right !== 'view');
  return (
    <FieldStack>
      <Segmented
        label={words.extent}
        value={extent.appliesTo}
        choices={(['all', 'group', 'tag'] as const).map((value) => ({ value, label: words.extents[value] }))}
        onChange={(appliesTo) => onChange({ ...extent, appliesTo })}
      />
      {extent.appliesTo === 'group' && (
        <SelectField
          label={words.group}
          value={extent.groupId === null ? '' : String(extent.groupId)}
          choices={[
            { value: '', label: words.pickGroup },
            ...branchesOf(groups).map(({ group, level }) => ({
              value: String(group.id),
              label: `${'  '.repeat(level)}${group.name}`,
            })),
          ]}
          onChange={(value) => onChange({ ...extent, groupId: value === '' ? null : Number(value) })}
        />
      )}
      {extent.appliesTo === 'tag' && (
        <TextField
          label={words.tag}
          hint={words.tagHint}
          maxLength={100}
          value={extent.tag ?? ''}
          onChange={(tag) => onChange({ ...extent, tag })}
        />
      )}
      {problem && <Notice tone="danger">{problem}</Notice>}
    </FieldStack>
  );
}

function Sentence({ draft, extent }: { draft: TriggerDraft; extent: Extent }) {
  const { units } = useFormat();
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  const groups = useGroups().data ?? [];
  if (draft.type === undefined) return null;
  return (
    <p className={css.sentence} aria-live="polite" data-testid="sentence">
      {sentenceOf(draft, { device: extentInWords(extent, groups), other: t.triggers.anotherDevice, fences, units })}
    </p>
  );
}
