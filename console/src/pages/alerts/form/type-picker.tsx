import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { TYPE_FORMS, type TypeGroup, typesIn } from '../../../forms/trigger-types.ts';
import { t } from '../../../texts/t.ts';
import { classes } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import css from './alert-form.module.css';

const words = t.triggers;
const GROUPS = Object.keys(words.groups) as TypeGroup[];

/** All trigger types by topic. */
export function TypePicker({
  value,
  onChange,
}: {
  value: TriggerTypeName | undefined;
  onChange: (type: TriggerTypeName) => void;
}) {
  return (
    <div className={css.picker}>
      {GROUPS.map((group) => (
        <fieldset key={group} className={css.pickerGroup}>
          <legend>{words.groups[group]}</legend>
          <div className={css.tiles}>
            {typesIn(group).map((type) => (
              <label key={type} className={classes(css.tile, type === value && css.chosen)}>
                <input
                  type="radio"
                  name="trigger-type"
                  className="unseen"
                  checked={type === value}
                  onChange={() => onChange(type)}
                  onClick={() => type === value && onChange(type)}
                />
                <Icon name={TYPE_FORMS[type].icon} size={20} />
                <span>
                  <strong>{words.types[type].label}</strong>
                  <span className={css.soft}>{words.types[type].about}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      ))}
    </div>
  );
}
