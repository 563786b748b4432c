import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { ReactNode } from 'react';
import { useGeofences } from '../../../api/geofences.ts';
import { useFormat } from '../../../format/use-format.ts';
import { PickDevice } from '../../../forms/pick-device.tsx';
import { minutes, plain, type Scale, scales } from '../../../forms/trigger-units.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { FieldRow, NumberField, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import css from './trigger-form.module.css';

type Json = Readonly<Record<string, unknown>>;

export interface FieldsProps {
  readonly parameters: Json;
  readonly onChange: (change: Json) => void;
}

const words = t.triggers.fields;
const units = t.triggers.units;

/** The fields of each type. A type that is new does not compile until it has its own. */
export const TRIGGER_FIELDS: Readonly<Record<TriggerTypeName, (props: FieldsProps) => ReactNode>> = {
  newLoc: Nothing,
  newWakeLoc: Nothing,
  newAvailLoc: Nothing,
  newReading: ({ parameters, onChange }) => (
    <TextField
      label={words.readingType}
      hint={words.readingTypeHint}
      maxLength={100}
      value={textOf(parameters.readingType)}
      onChange={(readingType) => onChange({ readingType })}
    />
  ),
  newMsg: Nothing,
  geofence: (props) => (
    <>
      <ZoneField {...props} />
      <ZoneTypeField {...props} />
    </>
  ),
  geoEntry: ZoneField,
  lowBat: (props) => (
    <Quantity
      {...props}
      name="threshold"
      label={words.threshold}
      scale={plain(units.percent)}
      min={0}
      max={100}
      placeholder="30"
    />
  ),
  speed: (props) => (
    <FieldRow>
      <Quantity {...props} name="limit" label={words.limit} scale={useScales().speed} min={0} required />
      <Quantity
        {...props}
        name="for"
        label={words.lasts}
        hint={words.lastsHint}
        scale={plain(units.s)}
        min={0}
        placeholder="0"
      />
    </FieldRow>
  ),
  distance: (props) => (
    <>
      <Quantity {...props} name="limit" label={words.limit} scale={useScales().way} min={0} required />
      <DaysField {...props} />
    </>
  ),
  temp: (props) => <Bounds {...props} scale={useScales().warmth} />,
  temp_bme: (props) => <Bounds {...props} scale={useScales().warmth} />,
  humidity: (props) => <Bounds {...props} scale={plain(units.percent)} />,
  pressure: (props) => <Bounds {...props} />,
  lightLevel: (props) => <Bounds {...props} />,
  ultraLevel: (props) => <Bounds {...props} />,
  button: Nothing,
  acc: Nothing,
  alertMode: MaskField,
  extAccel: (props) => <Quantity {...props} name="limit" label={words.limit} scale={plain('')} required />,
  proximity: (props) => (
    <>
      <PickDevice
        label={words.otherDevice}
        placeholder={t.triggers.pickDevice}
        deviceId={numberOf(props.parameters.deviceId) ?? undefined}
        onChange={(deviceId) => props.onChange({ deviceId })}
      />
      <Quantity {...props} name="meters" label={words.near} scale={useScales().near} min={0} placeholder="50" />
    </>
  ),
  motionStart: Lasting,
  motionStop: Lasting,
  tow: (props) => (
    <Quantity
      {...props}
      name="meters"
      label={words.towed}
      hint={words.towedHint}
      scale={useScales().near}
      min={0}
      placeholder="100"
    />
  ),
  offline: (props) => <Quantity {...props} name="after" label={words.after} scale={minutes} min={0.02} required />,
  expiresDaily: Nothing,
  expiresWeekly: Nothing,
};

function useScales() {
  return scales(useFormat().units);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function Nothing() {
  return <p className={css.soft}>{words.nothing}</p>;
}

function Quantity({
  parameters,
  onChange,
  name,
  scale,
  ...rest
}: FieldsProps & {
  name: string;
  label: string;
  hint?: string;
  scale: Scale;
  min?: number;
  max?: number;
  placeholder?: string;
  required?: boolean;
}) {
  const kept = numberOf(parameters[name]);
  return (
    <NumberField
      {...rest}
      unit={scale.unit}
      value={kept === null ? null : scale.shown(kept)}
      onChange={(shown) => onChange({ [name]: shown === null ? null : scale.kept(shown) })}
    />
  );
}

function Lasting(props: FieldsProps) {
  return (
    <Quantity
      {...props}
      name="for"
      label={words.lasts}
      hint={words.lastsHint}
      scale={minutes}
      min={0}
      placeholder="0"
    />
  );
}

function Bounds({ scale = plain(''), ...props }: FieldsProps & { scale?: Scale }) {
  const isEmpty = numberOf(props.parameters.min) === null && numberOf(props.parameters.max) === null;
  return (
    <div>
      <FieldRow>
        <Quantity {...props} name="min" label={words.min} scale={scale} required={isEmpty} />
        <Quantity {...props} name="max" label={words.max} scale={scale} />
      </FieldRow>
      {isEmpty && <p className={css.soft}>{words.oneOf}</p>}
    </div>
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
          label: words.groupZone(one),
        })),
        ...(fences ?? []).map(({ id, name }) => ({ value: `zone:${id}`, label: name ?? t.geofences.unnamed })),
        ...(isGone ? [{ value: `zone:${zoneId}`, label: words.goneZone(zoneId) }] : []),
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

/** Several of a few, all of them in sight. */
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

/** The bits of `alertType`, from the lowest on. */
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
