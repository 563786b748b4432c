import type { ReactNode } from 'react';
import css from './chips.module.css';
import { classes } from './class-names.ts';

/** Small buttons in a row that wraps or scrolls: one of several views, or filters of a list. */
export const Chips = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: A fieldset is for the fields of a form.
  <div className={css.chips} role="group" aria-label={label}>
    {children}
  </div>
);

export const Chip = ({ isOn, onPress, children }: { isOn: boolean; onPress: () => void; children: ReactNode }) => (
  <button type="button" className={classes(css.chip, isOn && css.on)} aria-pressed={isOn} onClick={onPress}>
    {children}
  </button>
);
