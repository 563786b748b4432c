import {
  FAMILIES,
  FAMILY_NAMES,
  TOKEN_ACCESS,
  type TokenAccess,
  type TokenFamily,
} from '@trackway/contract/families.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Row } from '../../ui/page.tsx';
import css from './token-limits.module.css';

const words = t.tokens;

export interface TokenLimits {
  readonly access: TokenAccess;
  readonly deviceIds: readonly number[];
  readonly families: readonly TokenFamily[];
}

/** The limits of a token: access, devices and families. */
export function TokenLimitFields({
  limits,
  onChange,
}: {
  limits: TokenLimits;
  onChange: (limits: TokenLimits) => void;
}) {
  const { access, deviceIds, families } = limits;
  const add = (id: number | undefined) => {
    if (id !== undefined && !deviceIds.includes(id)) onChange({ ...limits, deviceIds: [...deviceIds, id] });
  };
  const remove = (id: number) => onChange({ ...limits, deviceIds: deviceIds.filter((one) => one !== id) });
  const choose = (family: TokenFamily, isOn: boolean) =>
    onChange({
      ...limits,
      families: FAMILY_NAMES.filter((name) => (name === family ? isOn : families.includes(name))),
    });
  return (
    <>
      <SelectField<TokenAccess>
        label={words.access}
        hint={words.accessHints[access]}
        value={access}
        onChange={(value) => onChange({ ...limits, access: value })}
        choices={TOKEN_ACCESS.map((value) => ({ value, label: words.accesses[value] }))}
      />
      <div>
        <PickDevice
          key={deviceIds.length}
          label={words.devices}
          hint={words.devicesHint}
          placeholder={words.addDevice}
          deviceId={undefined}
          onChange={add}
        />
        {deviceIds.map((id) => (
          <ChosenDevice key={id} id={id} onRemove={() => remove(id)} />
        ))}
      </div>
      <fieldset className={css.families}>
        <legend>{words.families}</legend>
        <p className={css.hint}>{words.familiesHint}</p>
        <div className={css.list}>
          {FAMILY_NAMES.map((name) => (
            <Checkbox
              key={name}
              label={FAMILIES[name]}
              isOn={families.includes(name)}
              onChange={(isOn) => choose(name, isOn)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

function ChosenDevice({ id, onRemove }: { id: number; onRemove: () => void }) {
  const { device } = useNamedDevice(id);
  const name = device?.name ?? words.deviceNumber({ id });
  return (
    <Row spread>
      <span>{name}</span>
      <IconButton icon="close" size="small" label={words.removeDevice({ name })} onClick={onRemove} />
    </Row>
  );
}
