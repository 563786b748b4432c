import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from '../dialog.tsx';
import { words } from '../words.ts';
import { TextField } from './field.tsx';
import css from './filter-bar.module.css';

const phone = matchMedia('(max-width: 700px)');
const subscribe = (changed: () => void) => {
  phone.addEventListener('change', changed);
  return () => phone.removeEventListener('change', changed);
};

/** Whether the window is as narrow as that of a phone. */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => phone.matches);

/** The filters of a list: labeled fields side by side. On a phone, a button with the number of filters in use opens them. */
export function FilterBar({
  count,
  onClear,
  children,
}: {
  /** The number of filters in use. */
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const isPhone = useIsPhone();
  const [isOpen, setOpen] = useState(false);
  const clear = count > 0 && (
    <Button size="small" kind="quiet" icon="close" onClick={onClear}>
      {words.clearFilters}
    </Button>
  );
  if (!isPhone)
    return (
      <search className={css.bar} aria-label={words.filters}>
        {children}
        {clear}
      </search>
    );
  return (
    <>
      <Button icon="filter" aria-label={count === 0 ? words.filters : undefined} onClick={() => setOpen(true)}>
        {count > 0 ? (
          <>
            <span className="unseen">{words.filtersInUse({ count })}</span>
            <span aria-hidden="true">{count}</span>
          </>
        ) : undefined}
      </Button>
      {isOpen && (
        <Dialog
          title={words.filters}
          onClose={() => setOpen(false)}
          actions={
            <>
              {clear}
              <Button kind="primary" onClick={() => setOpen(false)}>
                {words.show}
              </Button>
            </>
          }
        >
          <search className={css.sheet} aria-label={words.filters}>
            {children}
          </search>
        </Dialog>
      )}
    </>
  );
}

/** The first and the last day of what is listed; an empty text for none. */
export function DayFilters({
  words,
  from,
  to,
  onChange,
}: {
  words: { readonly from: string; readonly to: string };
  from: string;
  to: string;
  onChange: (change: { from: string } | { to: string }) => void;
}) {
  return (
    <>
      <TextField
        label={words.from}
        type="date"
        max={to || undefined}
        value={from}
        onChange={(day) => onChange({ from: day })}
      />
      <TextField
        label={words.to}
        type="date"
        min={from || undefined}
        value={to}
        onChange={(day) => onChange({ to: day })}
      />
    </>
  );
}
