import { type ReactNode, useEffect, useRef, useState } from 'react';
import css from './window-list.module.css';

const BEYOND = 6;

/** A virtualized list of rows of equal height. It fills its container. */
export function WindowList<T>({
  items,
  rowHeight,
  itemKey,
  label,
  children,
}: {
  items: readonly T[];
  rowHeight: number;
  itemKey: (item: T) => string | number;
  label: string;
  children: (item: T) => ReactNode;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = frame.current!;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    element.addEventListener('scroll', look, { passive: true });
    const size = new ResizeObserver(look);
    size.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      size.disconnect();
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - BEYOND);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + BEYOND);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by the keyboard.
    <div ref={frame} className={css.frame} tabIndex={0}>
      <ul className={css.list} aria-label={label} style={{ height: items.length * rowHeight }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={itemKey(item)}
            className={css.row}
            style={{ height: rowHeight, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            {children(item)}
          </li>
        ))}
      </ul>
    </div>
  );
}
