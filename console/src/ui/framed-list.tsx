import type { ReactNode } from 'react';
import css from './framed-list.module.css';

/** A framed list with separators; each child is an `li`. */
export const FramedList = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ul className={css.list} aria-label={label}>
    {children}
  </ul>
);
