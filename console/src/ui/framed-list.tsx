import type { ReactNode } from 'react';
import css from './framed-list.module.css';

/** Entries in one frame, with a line between them; each child is an `li`. */
export const FramedList = ({ label, children }: { label?: string; children: ReactNode }) => (
  <ul className={css.list} aria-label={label}>
    {children}
  </ul>
);
