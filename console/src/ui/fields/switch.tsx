import { type ReactNode, useId } from 'react';
import css from './switch.module.css';

interface Props {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly disabled?: boolean;
}

/** On or off, applied at once. */
export const Switch = (props: Props) => <Toggle {...props} role="switch" look={css.switch} />;

/** On or off, applied when the form is submitted. */
export const Checkbox = (props: Props) => <Toggle {...props} look={css.checkbox} />;

function Toggle({
  label,
  hint,
  isOn,
  onChange,
  disabled,
  role,
  look,
}: Props & { role?: 'switch'; look: string | undefined }) {
  const id = useId();
  return (
    <div className={css.row}>
      <input
        id={id}
        type="checkbox"
        role={role}
        className={look}
        checked={isOn}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={css.words}>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <span id={`${id}-hint`} className={css.hint}>
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}
