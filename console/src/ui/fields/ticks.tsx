import { Checkbox } from './switch.tsx';
import css from './ticks.module.css';

/** Any number of a few choices. */
export function Ticks<Value extends string | number>({
  legend,
  hint,
  choices,
  chosen,
  onChange,
}: {
  legend: string;
  hint?: string;
  choices: readonly { readonly value: Value; readonly label: string }[];
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
}) {
  return (
    <fieldset className={css.ticks}>
      <legend>{legend}</legend>
      {hint && <p>{hint}</p>}
      <div>
        {choices.map(({ value, label }) => (
          <Checkbox
            key={value}
            label={label}
            isOn={chosen.includes(value)}
            onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))}
          />
        ))}
      </div>
    </fieldset>
  );
}
