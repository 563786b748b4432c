import { useState } from 'react';
import { type Mode, useFlightMode, useSleep, useUpdateMode, useWakeUp } from '../../../api/commands.ts';
import { count, duration } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, NumberField, SelectField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words } from '../../../ui/words.ts';
import { momentInWords } from './mode-words.ts';

export type ModeKind = 'flight' | 'sleep' | 'wake';

/** Maximum number of minutes that the API accepts. */
const MOST = 65_535;
const USUAL = [30, 60, 120, 240, 480, 720, 1440];
const OPEN = '0';
const OTHER = 'other';

/** Asks for the duration of a mode, and requests it. With `mode`, changes one that the device has not received. */
export function ModeDialog({
  deviceId,
  kind,
  mode,
  onClose,
}: {
  deviceId: number;
  kind: ModeKind;
  mode?: Mode;
  onClose: () => void;
}) {
  const [choice, setChoice] = useState(choiceOf(mode?.duration ?? 120));
  const [typed, setTyped] = useState<number | null>(mode?.duration || 90);
  const ask = { flight: useFlightMode(), sleep: useSleep(), wake: useWakeUp() }[kind];
  const update = useUpdateMode();
  const minutes = choice === OTHER ? typed : Number(choice);
  const isBad = choice === OTHER && !(Number.isInteger(typed) && typed! >= 1 && typed! <= MOST);
  const texts = t.deviceModes.dialogs[kind];
  const error = ask.error ?? update.error;
  const save = async () => {
    if (isBad) return;
    const body = { duration: minutes! };
    try {
      if (mode) await update.mutateAsync({ id: deviceId, fk: mode.id, body });
      else await ask.mutateAsync({ id: deviceId, body });
      toast({ text: mode ? t.deviceModes.changed : t.deviceModes.asked, tone: 'good' });
      onClose();
    } catch {
      // The notice in the dialog shows the error.
    }
  };
  return (
    <Dialog
      title={mode ? t.deviceModes.changeTitle : texts.title}
      onClose={onClose}
      onSubmit={() => void save()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={ask.isPending || update.isPending}>
            {mode ? words.save : texts.action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {error && <Notice tone="danger">{problemOf(error)}</Notice>}
        <p>{texts.lead}</p>
        <SelectField
          label={t.deviceModes.duration}
          value={choice}
          onChange={setChoice}
          choices={[
            ...USUAL.map((usual) => ({ value: String(usual), label: duration(usual * 60) })),
            ...(kind === 'flight' ? [] : [{ value: OPEN, label: t.deviceModes.open }]),
            { value: OTHER, label: t.deviceModes.other },
          ]}
          {...(minutes && !isBad
            ? { hint: t.deviceModes.endsAbout({ when: momentInWords(Date.now() + minutes * 60_000) }) }
            : {})}
        />
        {choice === OTHER && (
          <NumberField
            label={t.deviceModes.minutes}
            unit={t.deviceModes.minutesUnit}
            value={typed}
            onChange={setTyped}
            step={1}
            problem={isBad ? t.deviceModes.badMinutes({ most: count(MOST) }) : undefined}
          />
        )}
      </FieldStack>
    </Dialog>
  );
}

const choiceOf = (minutes: number) => (minutes === 0 || USUAL.includes(minutes) ? String(minutes) : OTHER);
