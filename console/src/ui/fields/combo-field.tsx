import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../button.tsx';
import { classes } from '../class-names.ts';
import { Icon } from '../icon.tsx';
import { usePressOutside } from '../use-press-outside.ts';
import { words } from '../words.ts';
import css from './combo-field.module.css';
import { Field } from './field.tsx';

export interface ComboChoice {
  readonly value: number;
  readonly label: string;
  readonly mark?: ReactNode;
}

/** Selects one of many by typing: `choices` match `query` and come from any source. */
export function ComboField({
  label,
  hint,
  problem,
  hidesLabel,
  placeholder,
  chosen,
  onChange,
  query,
  onQuery,
  choices,
  nothing,
  more,
  autoFocus,
}: {
  label: string;
  hint?: ReactNode;
  problem?: string;
  hidesLabel?: boolean;
  placeholder?: string;
  chosen: ComboChoice | undefined;
  onChange: (choice: ComboChoice | undefined) => void;
  query: string;
  onQuery: (query: string) => void;
  choices: readonly ComboChoice[];
  /** Shown if nothing matches. */
  nothing: string;
  /** A last option that changes the choices instead of being one, such as a slower search. */
  more?: { readonly label: string; readonly onPress: () => void } | undefined;
  autoFocus?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const list = useId();
  const count = choices.length + (more ? 1 : 0);
  const at = Math.min(active, count - 1);

  usePressOutside(place, isOpen, () => setOpen(false));
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, at]);

  const open = () => {
    setOpen(true);
    setActive(0);
  };
  const choose = (choice: ComboChoice | undefined) => {
    onChange(choice);
    onQuery('');
    setOpen(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) return open();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((at + step + count) % Math.max(1, count));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      if (choices[at]) choose(choices[at]);
      else more?.onPress();
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      event.preventDefault();
      setOpen(false);
      onQuery('');
    } else if (event.key === 'Tab') setOpen(false);
  };

  return (
    <Field
      {...{ label, hint, problem, hidesLabel }}
      control={(tied) => (
        <div className={css.place} ref={place}>
          <Icon name="search" size={16} />
          <input
            {...tied}
            type="text"
            role="combobox"
            autoComplete="off"
            aria-expanded={isOpen}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && at >= 0 ? `${list}-${at}` : undefined}
            className={css.input}
            placeholder={placeholder}
            // biome-ignore lint/a11y/noAutofocus: Only where the viewer has just opened the search.
            autoFocus={autoFocus}
            value={isOpen ? query : (chosen?.label ?? query)}
            onFocus={(event) => event.target.select()}
            onClick={open}
            onChange={(event) => {
              onQuery(event.target.value);
              open();
            }}
            onKeyDown={press}
          />
          {chosen && <IconButton icon="close" size="small" label={words.clear} onClick={() => choose(undefined)} />}
          {isOpen && (
            <div id={list} role="listbox" aria-label={label} className={css.list}>
              {choices.map((choice, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: The field handles the keys and keeps the focus.
                <div
                  key={choice.value}
                  id={`${list}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={choice.value === chosen?.value}
                  className={classes(css.option, index === at && css.active)}
                  onPointerMove={() => setActive(index)}
                  onClick={() => choose(choice)}
                >
                  {choice.mark}
                  <span>{choice.label}</span>
                </div>
              ))}
              {choices.length === 0 && <div className={css.nothing}>{nothing}</div>}
              {more && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: The field handles the keys and keeps the focus.
                <div
                  id={`${list}-${choices.length}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={false}
                  className={classes(css.option, at === choices.length && css.active)}
                  onPointerMove={() => setActive(choices.length)}
                  onClick={more.onPress}
                >
                  <Icon name="search" size={16} />
                  <span>{more.label}</span>
                </div>
              )}
            </div>
          )}
        </div>
      )}
    />
  );
}
