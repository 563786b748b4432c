import css from './bars.module.css';

/** A bar chart; each bar has a name and a formatted value. */
export function Bars({
  label,
  bars,
  whole,
}: {
  label: string;
  /** The value of a full bar; by default the largest value. */
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
