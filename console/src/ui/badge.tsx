import type { ReactNode } from 'react';
import css from './badge.module.css';
import { classes } from './class-names.ts';
import tones from './tones.module.css';

export type Tone = 'plain' | 'good' | 'info' | 'warn' | 'danger';

/** A label for a state. */
export function Badge({ tone = 'plain', hasDot, children }: { tone?: Tone; hasDot?: boolean; children: ReactNode }) {
  return (
    <span className={classes(css.badge, tones[tone])}>
      {hasDot && <span className={css.dot} />}
      {children}
    </span>
  );
}

/** A plain label. */
export const Tag = ({ children }: { children: ReactNode }) => <span className={css.tag}>{children}</span>;

/** A dot in a custom colour. */
export const ColorDot = ({ color }: { color: string | null }) => (
  <span className={css.color} style={color ? { background: color } : undefined} aria-hidden="true" />
);
