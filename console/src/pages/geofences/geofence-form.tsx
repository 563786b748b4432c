import { type FormEvent, useEffect, useId, useState } from 'react';
import { SELF } from '../../api/geofence-lists.ts';
import { colorOf, type Geofence, useCreateGeofenceV2, useGeofences, useUpdateGeofenceV2 } from '../../api/geofences.ts';
import { PickDevice } from '../../forms/pick-device.tsx';
import type { DrawBoard } from '../../map/draw/draw-board.ts';
import type { MapHandle } from '../../map/draw/draw-camera.ts';
import type { FenceShape } from '../../map/draw/draw-shape.ts';
import { useStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldRow, FieldStack, NumberField, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { ColorChoice, PLAIN_COLOR } from './geofence-colors.tsx';
import {
  confidenceProblems,
  draftOf,
  ENTER_PERCENT,
  EXIT_PERCENT,
  type GeofenceDraft,
  geofenceOf,
} from './geofence-draft.ts';
import css from './geofence-form.module.css';
import { ShapeFields } from './geofence-shape.tsx';

const words = t.geofences.form;
const isProblem = (shape: FenceShape) => shape.kind === 'corridor' && shape.problem !== undefined;

/** Creates or edits a geofence. Its shape is on the board, which the map next to it draws. */
export function GeofenceForm({
  fence,
  board,
  map,
  onDone,
  onCancel,
}: {
  fence?: Geofence;
  board: DrawBoard;
  map: MapHandle | undefined;
  onDone: (fence: Pick<Geofence, 'id' | 'name'>, isReshaped: boolean) => void;
  onCancel: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(fence));
  const [colorsGroup, setColorsGroup] = useState(false);
  const [isTried, setTried] = useState(false);
  const { shape } = useStore(board);
  const create = useCreateGeofenceV2();
  const update = useUpdateGeofenceV2();
  const all = useGeofences({ order: 'name ASC' });
  const groups = useId();
  const set = (change: Partial<GeofenceDraft>) => setDraft((now) => ({ ...now, ...change }));
  useEffect(() => board.set((now) => ({ ...now, color: draft.color ?? PLAIN_COLOR })), [board, draft.color]);

  const others = (all.data ?? []).filter(({ id, type }) => id !== fence?.id && type && type === draft.group.trim());
  const otherColored = others.filter((other) => (colorOf(other) ?? null) !== draft.color);
  const problems = confidenceProblems(draft);

  /** A fence that is added to a group usually gets its colour, too. */
  const setGroup = (group: string) => {
    const same = (all.data ?? []).find((other) => other.type === group.trim() && colorOf(other));
    set({ group, ...(draft.color === null && same && { color: colorOf(same)! }) });
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!shape || isProblem(shape) || problems.enter || problems.exit) return;
    const body = geofenceOf(draft, shape, fence);
    try {
      const saved = fence
        ? await update.mutateAsync({ userid: SELF, fenceid: fence.id, body })
        : await create.mutateAsync({ userid: SELF, body });
      if (colorsGroup) await colorAll(otherColored);
      onDone(saved, fence !== undefined && 'outline' in body);
    } catch {
      // Shown below.
    }
  };
  const colorAll = async (fences: readonly Geofence[]) => {
    for (const other of fences) {
      const { color: _, ...meta } = other.meta ?? {};
      const next = draft.color ? { ...meta, color: draft.color } : meta;
      await update.mutateAsync({ userid: SELF, fenceid: other.id, body: { meta: next } });
    }
  };
  const error = create.error ?? update.error;

  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <div className={css.fields}>
        <FieldStack>
          <TextField
            label={words.name}
            placeholder={words.namePlaceholder}
            maxLength={200}
            required
            value={draft.name}
            onChange={(name) => set({ name })}
          />
          <ShapeFields board={board} map={map} problem={isTried && !shape ? words.noShape : undefined} />
          <TextField
            label={words.group}
            hint={words.groupHint}
            maxLength={100}
            list={groups}
            value={draft.group}
            onChange={setGroup}
          />
          <datalist id={groups}>
            {[...new Set((all.data ?? []).map(({ type }) => type).filter(Boolean))].map((group) => (
              <option key={group} value={group!} />
            ))}
          </datalist>
          <ColorChoice value={draft.color} onChange={(color) => set({ color })} />
          {otherColored.length > 0 && (
            <Checkbox
              label={words.colorGroup({ count: otherColored.length, group: draft.group.trim() })}
              isOn={colorsGroup}
              onChange={setColorsGroup}
            />
          )}
          <PickDevice
            label={words.device}
            hint={words.deviceHint}
            placeholder={t.geofences.facts.everyDevice}
            deviceId={draft.deviceId}
            onChange={(deviceId) => set({ deviceId })}
          />
          <details className={css.details}>
            <summary>{words.advanced}</summary>
            <FieldStack>
              <p className={css.hint}>{words.advancedLead}</p>
              <FieldRow>
                <NumberField
                  label={words.enterAfter}
                  hint={words.enterAfterHint}
                  unit={words.seconds}
                  min={0}
                  placeholder="0"
                  value={draft.enterAfter}
                  onChange={(enterAfter) => set({ enterAfter })}
                />
                <NumberField
                  label={words.exitAfter}
                  hint={words.exitAfterHint}
                  unit={words.seconds}
                  min={0}
                  placeholder="0"
                  value={draft.exitAfter}
                  onChange={(exitAfter) => set({ exitAfter })}
                />
              </FieldRow>
              <FieldRow>
                <NumberField
                  label={words.enterConfidence}
                  hint={words.enterConfidenceHint}
                  problem={problems.enter}
                  unit={words.percent}
                  placeholder={String(ENTER_PERCENT)}
                  value={draft.enterConfidence}
                  onChange={(enterConfidence) => set({ enterConfidence })}
                />
                <NumberField
                  label={words.exitConfidence}
                  hint={words.exitConfidenceHint}
                  problem={problems.exit}
                  unit={words.percent}
                  placeholder={String(EXIT_PERCENT)}
                  value={draft.exitConfidence}
                  onChange={(exitConfidence) => set({ exitConfidence })}
                />
              </FieldRow>
            </FieldStack>
          </details>
          {error && <Notice tone="danger">{problemOf(error)}</Notice>}
        </FieldStack>
      </div>
      <div className={css.foot}>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="submit" kind="primary" isBusy={create.isPending || update.isPending}>
          {fence ? words.save : words.create}
        </Button>
      </div>
    </form>
  );
}
