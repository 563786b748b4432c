import { classes } from '../class-names.ts';
import css from './signal-bars.module.css';

const BARS = 5;

/** Highlights a number of five bars; `label` is the text alternative. */
export const SignalBars = ({ lit, label }: { lit: number; label: string }) => (
  <span className={css.bars} role="img" aria-label={label}>
    {Array.from({ length: BARS }, (_, bar) => (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: The bars never change places.
        key={bar}
        className={classes(bar < lit && (lit <= 1 ? css.weak : lit <= 2 ? css.fair : css.good))}
        style={{ height: `${((bar + 1) / BARS) * 100}%` }}
      />
    ))}
  </span>
);
