import { ALARMS } from '@trackway/contract/alarms.ts';
import { TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { ReactNode } from 'react';
import { useGeofences } from '../../../api/geofences.ts';
import { useFormat } from '../../../format/use-format.ts';
import { PickDevice } from '../../../forms/pick-device.tsx';
import { type QuantityField, type TriggerField, TYPE_FORMS } from '../../../forms/trigger-types.ts';
import { minutes, plain, scaleOf, schemaOf } from '../../../forms/trigger-units.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { FieldRow, NumberField, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import css from './alert-form.module.css';

type Json = Readonly<Record<string, unknown>>;

export interface FieldsProps {
  readonly parameters: Json;
  readonly onChange: (change: Json) => void;
}

const words = t.triggers.fields;
const units = t.triggers.units;
const TIMES = { s: plain(units.s), min: minutes };

/** Fields that are not plain numbers. */
const FIELDS: Readonly<Record<Extract<TriggerField, string>, (props: FieldsProps) => ReactNode>> = {
  zone: ZoneField,
  zoneType: ZoneTypeField,
  days: DaysField,
  mask: MaskField,
  alarms: AlarmsField,
  readingType: ({ parameters, onChange }) => (
    <TextField
      label={words.readingType}
      hint={words.readingTypeHint}
      maxLength={100}
      value={textOf(parameters.readingType)}
      onChange={(readingType) => onChange({ readingType })}
    />
  ),
  otherDevice: ({ parameters, onChange }) => (
    <PickDevice
      label={words.otherDevice}
      placeholder={t.triggers.pickDevice}
      deviceId={numberOf(parameters.deviceId) ?? undefined}
      onChange={(deviceId) => onChange({ deviceId })}
    />
  ),
};

/** The fields of a type: numbers side by side, the others below each other. */
export function TriggerFields({ type, ...props }: FieldsProps & { type: TriggerTypeName }) {
  const { fields } = TYPE_FORMS[type];
  if (fields.length === 0) return <p className={css.soft}>{words.nothing}</p>;
  const quantities = fields.filter((field) => typeof field !== 'string');
  const shown = quantities.map((field) => <Quantity key={field.parameter} {...props} type={type} field={field} />);
  const { oneOf }: TriggerType = TRIGGER_TYPES[type];
  const lacks = oneOf?.every((name) => numberOf(props.parameters[name]) === null);
  return (
    <>
      {fields.map((field) => {
        if (field === quantities[0]) return shown.length > 1 ? <FieldRow key="row">{shown}</FieldRow> : shown[0];
        const Field = typeof field === 'string' ? FIELDS[field] : undefined;
        return Field && <Field key={field as string} {...props} />;
      })}
      {lacks && <p className={css.soft}>{words.oneOf}</p>}
    </>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function Quantity({
  type,
  field,
  parameters,
  onChange,
}: FieldsProps & { type: TriggerTypeName; field: QuantityField }) {
  const { units: viewer } = useFormat();
  const { parameter, label, hint, time } = field;
  const schema = schemaOf(type, parameter);
  const scale = time === undefined ? scaleOf(schema.unit, viewer) : TIMES[time];
  const shown = (value: number | null | undefined) => (typeof value === 'number' ? scale.shown(value) : undefined);
  const byDefault = shown(schema.default);
  const { oneOf }: TriggerType = TRIGGER_TYPES[type];
  const isNeeded =
    schema.isRequired || (oneOf?.[0] === parameter && oneOf.every((name) => numberOf(parameters[name]) === null));
  return (
    <NumberField
      label={words[label]}
      hint={hint && words[hint]}
      unit={scale.unit}
      min={shown(schema.minimum)}
      max={shown(schema.maximum)}
      placeholder={byDefault === undefined ? undefined : String(Math.round(byDefault))}
      required={isNeeded}
      value={shown(numberOf(parameters[parameter])) ?? null}
      onChange={(value) => onChange({ [parameter]: value === null ? null : scale.kept(value) })}
    />
  );
}

function ZoneField({ parameters, onChange }: FieldsProps) {
  const { data: fences } = useGeofences({ order: 'name ASC' });
  const zoneId = numberOf(parameters.zoneId);
  const group = textOf(parameters.zoneGroup);
  const groups = [...new Set((fences ?? []).flatMap(({ type }) => type ?? []))].sort();
  const isGone = zoneId !== null && fences !== undefined && !fences.some(({ id }) => id === zoneId);
  if (fences?.length === 0 && zoneId === null && group === '')
    return (
      <Notice
        tone="warn"
        action={
          <ButtonLink href="/geofences/new" size="small">
            {words.drawZone}
          </ButtonLink>
        }
      >
        {words.noZones}
      </Notice>
    );
  const choose = (value: string) => {
    const [kind, key] = [value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1)];
    onChange({ zoneId: kind === 'zone' ? Number(key) : null, zoneGroup: kind === 'group' ? key : null });
  };
  return (
    <SelectField
      label={words.zone}
      value={zoneId !== null ? `zone:${zoneId}` : group ? `group:${group}` : 'all:'}
      onChange={choose}
      choices={[
        { value: 'all:', label: words.anyZone },
        ...[...new Set([...groups, ...(group ? [group] : [])])].map((one) => ({
          value: `group:${one}`,
          label: words.groupZone({ group: one }),
        })),
        ...(fences ?? []).map(({ id, name }) => ({ value: `zone:${id}`, label: name ?? t.geofences.unnamed })),
        ...(isGone ? [{ value: `zone:${zoneId}`, label: words.goneZone({ id: zoneId }) }] : []),
      ]}
    />
  );
}

function ZoneTypeField({ parameters, onChange }: FieldsProps) {
  const value = parameters.zoneType === 'inside' || parameters.zoneType === 'outside' ? parameters.zoneType : 'cross';
  return (
    <div className={css.inline}>
      <span className={css.label}>{words.zoneType}</span>
      <Segmented
        label={words.zoneType}
        value={value}
        choices={(['inside', 'outside', 'cross'] as const).map((one) => ({ value: one, label: words.zoneTypes[one] }))}
        onChange={(zoneType) => onChange({ zoneType })}
      />
    </div>
  );
}

/** Multiple choice with all options visible. */
function Several({
  label,
  hint,
  names,
  isOn,
  onToggle,
}: {
  label: string;
  hint: string;
  names: readonly string[];
  isOn: (index: number) => boolean;
  onToggle: (index: number) => void;
}) {
  return (
    <fieldset className={css.several}>
      <legend className={css.label}>{label}</legend>
      <div className={css.chips}>
        {names.map((name, index) => (
          <label key={name} className={classes(css.chip, isOn(index) && css.on)}>
            <input type="checkbox" className="unseen" checked={isOn(index)} onChange={() => onToggle(index)} />
            {name}
          </label>
        ))}
      </div>
      <p className={css.soft}>{hint}</p>
    </fieldset>
  );
}

function DaysField({ parameters, onChange }: FieldsProps) {
  const days: readonly number[] = Array.isArray(parameters.days) ? parameters.days : [];
  const toggle = (day: number) => {
    const next = days.includes(day) ? days.filter((one) => one !== day) : [...days, day].sort();
    onChange({ days: next.length > 0 ? next : null });
  };
  return (
    <Several
      label={words.days}
      hint={words.daysHint}
      names={words.dayNames}
      isOn={(day) => days.includes(day)}
      onToggle={toggle}
    />
  );
}

/** The bits of `alertType`, lowest first. */
function MaskField({ parameters, onChange }: FieldsProps) {
  const mask = numberOf(parameters.mask) ?? 0;
  return (
    <Several
      label={words.mask}
      hint={words.maskHint}
      names={words.alerts}
      isOn={(bit) => (mask & (1 << bit)) !== 0}
      onToggle={(bit) => onChange({ mask: mask ^ (1 << bit) || null })}
    />
  );
}

function AlarmsField({ parameters, onChange }: FieldsProps) {
  const chosen: readonly unknown[] = Array.isArray(parameters.alarms) ? parameters.alarms : [];
  const toggle = (index: number) => {
    const next = ALARMS.filter((alarm, at) => chosen.includes(alarm) !== (at === index));
    onChange({ alarms: next.length > 0 ? next : null });
  };
  return (
    <Several
      label={words.alarms}
      hint={words.alarmsHint}
      names={ALARMS.map((alarm) => t.events.alarms[alarm])}
      isOn={(index) => chosen.includes(ALARMS[index])}
      onToggle={toggle}
    />
  );
}
