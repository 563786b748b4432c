import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { classes } from '../class-names.ts';
import css from './field.module.css';

interface Frame {
  readonly label: string;
  /** A hint below the field. */
  readonly hint?: ReactNode;
  /** The problem with the entered value. */
  readonly problem?: string | undefined;
  readonly hidesLabel?: boolean;
}

/** The frame of any control: `control` gets the ids that connect label, hint and problem to it. */
export function Field({
  label,
  hint,
  problem,
  hidesLabel,
  control,
}: Frame & {
  control: (tied: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <div className={css.field}>
      <label htmlFor={id} className={hidesLabel ? 'unseen' : css.label}>
        {label}
      </label>
      {control({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {hint && (
        <div id={`${id}-hint`} className={css.hint}>
          {hint}
        </div>
      )}
      {problem && (
        <div id={`${id}-problem`} className={css.problem} role="alert">
          {problem}
        </div>
      )}
    </div>
  );
}

type Of<E> = Frame & Omit<E, 'className' | 'onChange' | 'value' | 'id'>;

/** Text, e-mail, password, date, time …: any type of input. */
export function TextField({
  label,
  hint,
  problem,
  hidesLabel,
  value,
  onChange,
  ...rest
}: Of<InputHTMLAttributes<HTMLInputElement>> & { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      {...{ label, hint, problem, hidesLabel }}
      control={(tied) => (
        <input
          type="text"
          {...rest}
          {...tied}
          className={css.input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    />
  );
}

/** A number, or null while the field is empty. */
export function NumberField({
  label,
  hint,
  problem,
  hidesLabel,
  value,
  onChange,
  unit,
  ...rest
}: Of<InputHTMLAttributes<HTMLInputElement>> & {
  value: number | null;
  onChange: (value: number | null) => void;
  unit?: string;
}) {
  return (
    <Field
      {...{ label, hint, problem, hidesLabel }}
      control={(tied) => (
        <span className={css.withUnit}>
          <input
            type="number"
            inputMode="decimal"
            step="any"
            {...rest}
            {...tied}
            className={css.input}
            value={value ?? ''}
            onChange={({ target }) => onChange(target.value === '' ? null : target.valueAsNumber)}
          />
          {unit && <span className={css.unit}>{unit}</span>}
        </span>
      )}
    />
  );
}

export function TextArea({
  label,
  hint,
  problem,
  hidesLabel,
  value,
  onChange,
  isCode,
  ...rest
}: Of<TextareaHTMLAttributes<HTMLTextAreaElement>> & {
  value: string;
  onChange: (value: string) => void;
  isCode?: boolean;
}) {
  return (
    <Field
      {...{ label, hint, problem, hidesLabel }}
      control={(tied) => (
        <textarea
          rows={3}
          {...rest}
          {...tied}
          className={classes(css.input, css.area, isCode && css.code)}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    />
  );
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
}

export function SelectField<T extends string>({
  label,
  hint,
  problem,
  hidesLabel,
  value,
  onChange,
  choices,
  ...rest
}: Of<SelectHTMLAttributes<HTMLSelectElement>> & {
  value: T;
  onChange: (value: T) => void;
  choices: readonly Choice<T>[];
}) {
  return (
    <Field
      {...{ label, hint, problem, hidesLabel }}
      control={(tied) => (
        <select
          {...rest}
          {...tied}
          className={classes(css.input, css.select)}
          value={value}
          onChange={(event) => onChange(event.target.value as T)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** Fields side by side where there is room. */
export const FieldRow = ({ children }: { children: ReactNode }) => <div className={css.row}>{children}</div>;

/** A form's fields, one below the other. */
export const FieldStack = ({ children }: { children: ReactNode }) => <div className={css.stack}>{children}</div>;
