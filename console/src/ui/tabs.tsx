import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import css from './tabs.module.css';

export interface Tab<T extends string> {
  readonly key: T;
  readonly label: string;
  /** A number next to it, if there is something to look at. */
  readonly count?: number;
}

/** The right end of the row, where tabs fade out. */
const FADE_PX = 20;

/** Tabs of one object. Keep `active` in the address, so that a tab can be linked to. */
export function Tabs<T extends string>({
  tabs,
  active,
  onChange,
  label,
  more,
  children,
}: {
  tabs: readonly Tab<T>[];
  active: T;
  onChange: (key: T) => void;
  label: string;
  /** Rarely used tabs: behind a button at the end. */
  more?: { readonly label: string; readonly tabs: readonly Tab<T>[] } | undefined;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Also when tabs were added or removed.
  useEffect(() => {
    if (list.current) scrollToActive(list.current);
  }, [active, tabs.length]);
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const now = tabs.findIndex(({ key }) => key === active);
    const next = tabs[(now + step + tabs.length) % tabs.length]!;
    onChange(next.key);
    document.getElementById(`${id}-${next.key}`)?.focus();
  };
  return (
    <>
      <div className={css.bar}>
        <div ref={list} role="tablist" tabIndex={-1} aria-label={label} className={css.list} onKeyDown={move}>
          {tabs.map((tab) => (
            <button
              key={tab.key}
              id={`${id}-${tab.key}`}
              type="button"
              role="tab"
              aria-selected={tab.key === active}
              aria-controls={`${id}-panel`}
              tabIndex={tab.key === active ? 0 : -1}
              className={classes(css.tab, tab.key === active && css.active)}
              onClick={() => onChange(tab.key)}
            >
              {tab.label}
              {tab.count !== undefined && tab.count > 0 && <span className={css.count}>{tab.count}</span>}
            </button>
          ))}
        </div>
        {more && more.tabs.length > 0 && (
          <Menu
            label={more.label}
            items={more.tabs.map((tab) => ({ label: tab.label, onPress: () => onChange(tab.key) }))}
            button={(props) => (
              <button type="button" className={css.tab} {...props}>
                {more.label}
                <Icon name="down" size={16} />
              </button>
            )}
          />
        )}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${active}`} className={css.panel}>
        {children}
      </div>
    </>
  );
}

/** Scrolls until the active tab is seen, only as far as needed and by whole tabs, so that none is cut off at the left. */
function scrollToActive(list: HTMLElement) {
  const all = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const active = all.find((tab) => tab.ariaSelected === 'true');
  if (!active) return;
  const least = active.offsetLeft + active.offsetWidth + FADE_PX - list.clientWidth;
  if (list.scrollLeft >= least && list.scrollLeft <= active.offsetLeft) return;
  const first = least <= 0 ? undefined : all.find((tab) => tab === active || tab.offsetLeft >= least);
  list.scrollLeft = first?.offsetLeft ?? 0;
}

/** Single choice with all options visible. */
export function Segmented<T extends string>({
  choices,
  value,
  onChange,
  label,
}: {
  choices: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
  label: string;
}) {
  const name = useId();
  return (
    <fieldset className={css.segments}>
      <legend className="unseen">{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={classes(css.segment, choice.value === value && css.chosen)}>
          <input
            type="radio"
            className="unseen"
            name={name}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
