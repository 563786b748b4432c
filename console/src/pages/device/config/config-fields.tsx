import { type ReactNode, useState } from 'react';
import { duration } from '../../../format/quantities.ts';
import { t, textFor } from '../../../texts/t.ts';
import { NumberField, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Switch } from '../../../ui/fields/switch.tsx';
import type { ConfigEditor } from './config-draft.ts';
import { type ActionName, type BitsName, type NumberName, problemWith, ruleOf, type TextName } from './config-draft.ts';
import css from './config-form.module.css';

/** From here on seconds are also shown in larger units. */
const LONG_S = 120;

/** Marks unsaved fields. */
const Marked = ({ isChanged, children }: { isChanged: boolean; children: ReactNode }) => (
  <div className={isChanged ? css.changed : undefined}>{children}</div>
);

/** The largest unit of time that divides a number of seconds evenly. */
const unitOf = (seconds: number): [scale: number, unit: string] =>
  seconds > 0 && seconds % 3600 === 0
    ? [3600, t.deviceConfig.hours]
    : seconds > 0 && seconds % 60 === 0
      ? [60, t.deviceConfig.minutes]
      : [1, t.deviceConfig.seconds];

/** A number with its limits and its default. Of seconds, it may be shown in another unit. */
export function ConfigNumber({
  editor,
  name,
  unit: ofName,
  scale: scaleOfName = 1,
}: {
  editor: ConfigEditor;
  name: NumberName;
  unit?: string;
  /** How many of the stored units are one of the shown. */
  scale?: number;
}) {
  const { label, hint } = t.deviceConfig.fields[name];
  const { minimum, maximum, default: usual } = ruleOf(name);
  const value = editor.config[name];
  const isTime = ofName === t.deviceConfig.seconds;
  // The unit stays while the number is edited.
  const [ofTime] = useState(() => unitOf(Number(value ?? usual)));
  const [scale, unit] = isTime ? ofTime : [scaleOfName, ofName];
  const inWords = (number: unknown) => {
    if (!isTime || typeof number !== 'number') return String(number);
    return number >= LONG_S ? duration(number) : `${number} ${ofName}`;
  };
  return (
    <Marked isChanged={editor.isChanged(name)}>
      <NumberField
        label={label}
        hint={
          <>
            {hint} {t.deviceConfig.usually({ value: inWords(usual) })}
            {isTime && scale === 1 && value !== null && value >= LONG_S && (
              <strong> {t.deviceConfig.makes({ time: duration(value) })}</strong>
            )}
          </>
        }
        problem={problemWith(name, value, scale)}
        value={value === null ? null : Number((value / scale).toFixed(2))}
        onChange={(next) => editor.set(name, next === null ? null : Math.round(next * scale))}
        min={minimum !== undefined ? minimum / scale : undefined}
        max={maximum !== undefined ? maximum / scale : undefined}
        step={scale === 1 ? 1 : 'any'}
        inputMode={scale === 1 ? 'numeric' : 'decimal'}
        unit={unit}
      />
    </Marked>
  );
}

export function ConfigText({ editor, name }: { editor: ConfigEditor; name: TextName }) {
  const { label, hint } = t.deviceConfig.fields[name];
  return (
    <Marked isChanged={editor.isChanged(name)}>
      <TextField
        label={label}
        hint={hint}
        value={editor.config[name] ?? ''}
        onChange={(next) => editor.set(name, next === '' ? null : next)}
        maxLength={ruleOf(name).maxLength}
      />
    </Marked>
  );
}

/** An action of the device. It may have one that is not among the choices. */
export function ConfigAction({
  editor,
  name,
  actions,
}: {
  editor: ConfigEditor;
  name: ActionName;
  actions: readonly string[];
}) {
  const value = editor.config[name];
  const all = actions.includes(value) ? actions : [...actions, value];
  return (
    <Marked isChanged={editor.isChanged(name)}>
      <SelectField
        label={t.deviceConfig.fields[name].label}
        value={value}
        onChange={(next) => editor.set(name, next)}
        choices={all.map((one) => ({ value: one, label: textFor(t.deviceConfig.eventActions, one) ?? one }))}
      />
    </Marked>
  );
}

const bitsOf = (name: BitsName) =>
  Object.entries(t.deviceConfig.bits[name]).map(([bit, { label, hint }]) => ({ bit: Number(bit), label, hint }));

/** A number whose bits are switches. */
export function ConfigBits({ editor, name }: { editor: ConfigEditor; name: BitsName }) {
  const value = editor.config[name] ?? 0;
  return (
    <fieldset className={css.group}>
      <legend>{t.deviceConfig.bitGroups[name]}</legend>
      <div className={css.switches}>
        {bitsOf(name).map(({ bit, label, hint }) => (
          <Switch
            key={bit}
            label={label}
            hint={hint}
            isOn={(value & bit) !== 0}
            disabled={!editor.mayEdit}
            onChange={(isOn) => editor.set(name, isOn ? value | bit : value & ~bit)}
          />
        ))}
      </div>
    </fieldset>
  );
}
