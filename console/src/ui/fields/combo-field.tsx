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

/** One of many, found by typing: `choices` are those that fit `query`, wherever they come from. */
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
  /** Said where nothing fits. */
  nothing: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const list = useId();
  const at = Math.min(active, choices.length - 1);

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
      setActive((at + step + choices.length) % Math.max(1, choices.length));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      if (choices[at]) choose(choices[at]);
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
            aria-activedescendant={isOpen && choices[at] ? `${list}-${at}` : undefined}
            className={css.input}
            placeholder={placeholder}
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
                // biome-ignore lint/a11y/useKeyWithClickEvents: The keys are those of the field, which keeps the focus.
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
            </div>
          )}
        </div>
      )}
    />
  );
}
