import type { ReactNode } from 'react';
import css from './split-panel.module.css';

/** A list or form next to something large, usually a map. On a phone the panel is below. */
export function SplitPanel({ panel, children, label }: { panel: ReactNode; children: ReactNode; label: string }) {
  return (
    <div className={css.split}>
      <section className={css.panel} aria-label={label}>
        {panel}
      </section>
      <div className={css.main}>{children}</div>
    </div>
  );
}
