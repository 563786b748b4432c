import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import css from './table.module.css';

export interface Column<T> {
  readonly key: string;
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: 'start' | 'end';
  /** Hidden on a phone. */
  readonly isMinor?: boolean;
  readonly sortable?: boolean;
  /** As narrow as its content. */
  readonly fits?: boolean;
  /**
   * `words` is for short words, which are never broken; `names` for possibly long texts that need room; `times` for a
   * date and a time, in at most two lines.
   */
  readonly wraps?: 'words' | 'names' | 'times';
}

/** The content of a column that is hidden on a phone: there it is shown below another. */
export const PhoneLine = ({ children }: { children: ReactNode }) => <div className={css.phoneLine}>{children}</div>;

export interface Sorting {
  readonly key: string;
  readonly descends: boolean;
}

/** Rows of one type. `href` makes a row a link; its first cell should contain the link for keyboards. */
export function Table<T>({
  columns,
  rows,
  rowKey,
  caption,
  href,
  sorting,
  onSort,
  hasCards,
}: {
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  /** The description of the table for screen readers. */
  caption: string;
  href?: (row: T) => string;
  sorting?: Sorting;
  onSort?: (sorting: Sorting) => void;
  /** On a phone, each row is a card with all columns: its first cell, and below it the others with their labels. */
  hasCards?: boolean;
}) {
  const [, navigate] = useLocation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: On a narrow screen it scrolls sideways, by keyboard as well.
    <div className={css.frame} tabIndex={0}>
      <table className={classes(css.table, hasCards && css.cards)}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={lookOf(column)} aria-sort={ariaSort(column.key, sorting)}>
                {column.sortable && onSort ? (
                  <button
                    type="button"
                    className={css.sort}
                    onClick={() =>
                      onSort({ key: column.key, descends: sorting?.key === column.key && !sorting.descends })
                    }
                  >
                    {column.label}
                    {sorting?.key === column.key && <Icon name={sorting.descends ? 'down' : 'up'} size={14} />}
                  </button>
                ) : (
                  column.label
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={href && css.leads}
              onClick={
                href &&
                ((event) => {
                  if (!(event.target as HTMLElement).closest('a, button, input, label')) navigate(href(row));
                })
              }
            >
              {columns.map((column) => (
                <td key={column.key} className={lookOf(column)} data-label={hasCards && column.label}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const lookOf = (column: Column<never>) =>
  classes(
    column.align === 'end' && css.end,
    column.isMinor && css.minor,
    column.fits && css.fits,
    column.wraps && css[column.wraps],
  );

const ariaSort = (key: string, sorting: Sorting | undefined) =>
  sorting?.key === key ? (sorting.descends ? 'descending' : 'ascending') : undefined;
