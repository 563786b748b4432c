import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import css from './menu.module.css';
import { usePressOutside } from './use-press-outside.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly onPress?: () => void;
  /** Instead of `onPress`: another page. */
  readonly href?: string;
  readonly isDangerous?: boolean;
  readonly isOn?: boolean;
  /** A line above it. */
  readonly begins?: boolean;
}

const EDGE_PX = 8;

/** What opens beside a button at the edge of a phone would reach out of it. */
function keepInWindow(place: HTMLElement, list: HTMLElement): void {
  // By where it is laid out: it is still growing to its size.
  const left = place.getBoundingClientRect().left + list.offsetLeft;
  const most = document.documentElement.clientWidth - EDGE_PX - list.offsetWidth;
  const shift = Math.max(EDGE_PX, Math.min(left, most)) - left;
  if (shift !== 0) list.style.translate = `${shift}px`;
}

/**
 * A list of things to do. `button` draws what opens it, with the properties it is given; `opens` says to which side.
 */
export function Menu({
  items,
  button,
  label,
  opens = 'down-left',
}: {
  items: readonly MenuItem[];
  label: string;
  opens?: 'down-left' | 'down-right' | 'up-left' | 'up-right' | 'side';
  button: (props: {
    onClick: () => void;
    'aria-expanded': boolean;
    'aria-haspopup': 'menu';
    'aria-controls': string;
  }) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    if (isOpen && place.current && list.current) keepInWindow(place.current, list.current);
  }, [isOpen]);
  useEffect(() => {
    if (isOpen) list.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
  }, [isOpen]);
  usePressOutside(place, isOpen, () => setOpen(false));

  const close = () => {
    setOpen(false);
    place.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
      return;
    }
    const entries = [...(list.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
    const now = entries.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: entries.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    entries[(next + entries.length) % entries.length]?.focus();
  };

  return (
    <div className={css.place} ref={place}>
      {button({
        onClick: () => setOpen(!isOpen),
        'aria-expanded': isOpen,
        'aria-haspopup': 'menu',
        'aria-controls': id,
      })}
      {isOpen && (
        <div
          id={id}
          ref={list}
          role="menu"
          aria-label={label}
          className={classes(css.menu, css[opens])}
          onKeyDown={move}
        >
          {items.map((item) => (
            <Entry key={item.label} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function Entry({ item, close }: { item: MenuItem; close: () => void }) {
  const look = classes(css.item, item.isDangerous && css.danger, item.begins && css.begins);
  const content = (
    <>
      {item.icon && <Icon name={item.icon} size={18} />}
      <span className={css.label}>{item.label}</span>
      {item.isOn && <Icon name="check" size={16} />}
    </>
  );
  if (item.href !== undefined)
    return (
      <Link href={item.href} role="menuitem" className={look} onClick={close}>
        {content}
      </Link>
    );
  const press = () => {
    close();
    item.onPress?.();
  };
  return item.isOn === undefined ? (
    <button type="button" role="menuitem" className={look} onClick={press}>
      {content}
    </button>
  ) : (
    <button type="button" role="menuitemradio" aria-checked={item.isOn} className={look} onClick={press}>
      {content}
    </button>
  );
}
