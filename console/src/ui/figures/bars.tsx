import css from './bars.module.css';

/** Amounts side by side, each with its name and its value in words. */
export function Bars({
  label,
  bars,
  whole,
}: {
  label: string;
  /** How much a full bar is; the largest amount where absent. */
  whole?: number | undefined;
  bars: readonly { readonly key: string; readonly label: string; readonly value: number; readonly text: string }[];
}) {
  const most = whole ?? Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <ul className={css.bars} aria-label={label}>
      {bars.map(({ key, label, value, text }) => (
        <li key={key}>
          <span className={css.name}>{label}</span>
          <span className={css.track} aria-hidden="true">
            {value > 0 && <span className={css.bar} style={{ width: `${(100 * value) / most}%` }} />}
          </span>
          <span className={css.value}>{text}</span>
        </li>
      ))}
    </ul>
  );
}
