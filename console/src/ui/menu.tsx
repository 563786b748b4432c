import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
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
  /** Instead of `onPress`: a link. */
  readonly href?: string;
  readonly isDangerous?: boolean;
  readonly isOn?: boolean;
  /** Draws a separator above it. */
  readonly begins?: boolean;
}

type Opens = 'down-left' | 'down-right' | 'up-left' | 'up-right' | 'side';

const EDGE_PX = 8;
const GAP_PX = 6;

/** Places the list next to its button: on the requested side if it fits there, and always inside the window. */
function putBeside(button: DOMRect, list: HTMLElement, opens: Opens): void {
  const { offsetWidth: width, offsetHeight: height } = list;
  const room = { width: document.documentElement.clientWidth, height: innerHeight };
  const within = (at: number, size: number, most: number) => Math.max(EDGE_PX, Math.min(at, most - EDGE_PX - size));
  const [above, below] = [button.top - GAP_PX - height, button.bottom + GAP_PX];
  const fitsBelow = below + height <= room.height - EDGE_PX;
  const isUp = opens.startsWith('up') ? above >= EDGE_PX || !fitsBelow : !fitsBelow && above >= EDGE_PX;
  const left = opens === 'side' ? button.right + GAP_PX : opens.endsWith('left') ? button.right - width : button.left;
  const top = opens === 'side' ? button.bottom - height : isUp ? above : below;
  list.style.left = `${within(left, width, room.width)}px`;
  list.style.top = `${within(top, height, room.height)}px`;
}

/** A menu of actions. `button` renders what opens it, with the given properties; `opens` is the side. */
export function Menu({
  items,
  button,
  label,
  opens = 'down-left',
}: {
  items: readonly MenuItem[];
  label: string;
  opens?: Opens;
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
    if (!isOpen) return;
    const [around, shown] = [place.current!, list.current!];
    const put = () => putBeside(around.getBoundingClientRect(), shown, opens);
    shown.showPopover();
    put();
    shown.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    // The button moves when the page scrolls.
    addEventListener('scroll', put, true);
    addEventListener('resize', put);
    return () => {
      removeEventListener('scroll', put, true);
      removeEventListener('resize', put);
    };
  }, [isOpen, opens]);
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
          // Above everything, regardless of the button's container.
          popover="manual"
          aria-label={label}
          className={css.menu}
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
