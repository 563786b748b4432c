import { Link } from 'wouter';
import css from './columns.module.css';

/** Amounts side by side as columns, each with its name and its value in words, and a page with details. */
export function ColumnChart({
  label,
  columns,
}: {
  label: string;
  columns: readonly {
    readonly key: string;
    readonly label: string;
    readonly value: number;
    readonly text: string;
    readonly href: string;
  }[];
}) {
  const most = Math.max(...columns.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <ul className={css.columns} aria-label={label}>
      {columns.map(({ key, label, value, text, href }) => (
        <li key={key}>
          <Link href={href} className={css.column} aria-label={`${label}: ${text}`} title={`${label}: ${text}`}>
            <span className={css.room} aria-hidden="true">
              <span className={css.bar} style={{ height: value > 0 ? `${(100 * value) / most}%` : 0 }} />
            </span>
            <span className={css.name} aria-hidden="true">
              {label}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
