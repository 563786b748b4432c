import type { ReactNode } from 'react';
import { duration } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { NumberField, TextField } from '../../../ui/fields/field.tsx';
import { Switch } from '../../../ui/fields/switch.tsx';
import type { ConfigEditor } from './config-draft.ts';
import { type BitsName, type NumberName, problemWith, ruleOf, type TextName } from './config-draft.ts';
import css from './config-form.module.css';

/** From here on seconds are also shown in larger units. */
const LONG_S = 120;

/** Marks unsaved fields. */
const Marked = ({ isChanged, children }: { isChanged: boolean; children: ReactNode }) => (
  <div className={isChanged ? css.changed : undefined}>{children}</div>
);

/** A number with its limits and its default. */
export function ConfigNumber({ editor, name, unit }: { editor: ConfigEditor; name: NumberName; unit?: string }) {
  const { label, hint } = t.deviceConfig.fields[name];
  const { minimum, maximum, default: usual } = ruleOf(name);
  const value = editor.config[name];
  const isTime = unit === t.deviceConfig.seconds;
  const inWords = (number: unknown) => {
    if (!isTime || typeof number !== 'number') return String(number);
    return number >= LONG_S ? duration(number) : `${number} ${unit}`;
  };
  return (
    <Marked isChanged={editor.isChanged(name)}>
      <NumberField
        label={label}
        hint={
          <>
            {hint} {t.deviceConfig.usually({ value: inWords(usual) })}
            {isTime && value !== null && value >= LONG_S && (
              <strong> {t.deviceConfig.makes({ time: duration(value) })}</strong>
            )}
          </>
        }
        problem={problemWith(name, value)}
        value={value}
        onChange={(next) => editor.set(name, next)}
        min={minimum}
        max={maximum}
        step={1}
        inputMode="numeric"
        unit={unit}
      />
    </Marked>
  );
}

export function ConfigText({
  editor,
  name,
  suggestions,
}: {
  editor: ConfigEditor;
  name: TextName;
  suggestions?: readonly string[];
}) {
  const { label, hint } = t.deviceConfig.fields[name];
  const isNeeded = name === 'wakeAction' || name === 'alertAction';
  return (
    <Marked isChanged={editor.isChanged(name)}>
      <TextField
        label={label}
        hint={hint}
        value={editor.config[name] ?? ''}
        onChange={(next) => editor.set(name, next === '' && !isNeeded ? null : next)}
        maxLength={ruleOf(name).maxLength}
        required={isNeeded}
        {...(suggestions && { list: `config-${name}` })}
      />
      {suggestions && (
        <datalist id={`config-${name}`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
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
