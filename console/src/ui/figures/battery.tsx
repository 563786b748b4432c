import { classes } from '../class-names.ts';
import css from './battery.module.css';

const LOW = 15;
const MIDDLE = 35;

/** A battery level as an icon; the text next to it says the same. */
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
