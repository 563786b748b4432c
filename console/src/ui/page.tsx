import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import css from './page.module.css';

/** An ordinary page: title, actions, scrolling content. Its title becomes the document's. */
export function Page({
  title,
  mark,
  back,
  actions,
  lead,
  width = 'normal',
  children,
}: {
  title: string;
  /** Before the title. */
  mark?: ReactNode;
  /** The parent page. */
  back?: { href: string; label: string };
  actions?: ReactNode;
  /** A line below the title. */
  lead?: ReactNode;
  /** `narrow`: text and forms below the title, in lines that are easy to read. */
  width?: 'narrow' | 'normal' | 'full';
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className={css.page}>
      <div className={classes(css.content, css[width])}>
        <header className={css.head}>
          <div className={css.titles}>
            {back && (
              <Link href={back.href} className={css.back}>
                <Icon name="left" size={16} />
                {back.label}
              </Link>
            )}
            <h1>
              {mark && <>{mark} </>}
              {title}
            </h1>
            {lead && <div className={css.lead}>{lead}</div>}
          </div>
          {actions && <div className={css.actions}>{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Trackway' : `${title} · Trackway`;
  }, [title]);
}

/** A framed part of a page. */
export function Card({
  title,
  actions,
  children,
  isFlush,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Content without padding: for tables and maps. */
  isFlush?: boolean;
}) {
  return (
    <section className={css.card}>
      {(title || actions) && (
        <header className={css.cardHead}>
          {title && <h2>{title}</h2>}
          {actions && <div className={css.actions}>{actions}</div>}
        </header>
      )}
      <div className={isFlush ? css.flush : css.cardBody}>{children}</div>
    </section>
  );
}

/** Cards one below the other. */
export const Stack = ({ children }: { children: ReactNode }) => <div className={css.stack}>{children}</div>;

/** Cards side by side where there is room for two. */
export const Columns = ({ children }: { children: ReactNode }) => <div className={css.columns}>{children}</div>;

/** A row of things that wraps. */
export const Row = ({ children, spread }: { children: ReactNode; spread?: boolean }) => (
  <div className={classes(css.row, spread && css.spread)}>{children}</div>
);

/** Names and values: `[['Battery', '80 %'], …]`; null values are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name} className={css.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
