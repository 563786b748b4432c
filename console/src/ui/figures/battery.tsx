import { classes } from '../class-names.ts';
import css from './battery.module.css';

const LOW = 15;
const MIDDLE = 35;

/** How full something is, as a small picture; the words beside it say the same. */
export function Battery({ pct }: { pct: number }) {
  const level = Math.max(0, Math.min(100, pct));
  return (
    <span className={css.battery} aria-hidden="true">
      <span
        className={classes(css.level, level <= LOW ? css.low : level <= MIDDLE ? css.middle : css.good)}
        style={{ width: `${level}%` }}
      />
    </span>
  );
}
