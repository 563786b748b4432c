import type { ReactNode } from 'react';
import { t } from '../texts/t.ts';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import css from './states.module.css';
import tones from './tones.module.css';
import { words } from './words.ts';

/** Nothing is there yet: says what would be, and what to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={css.empty}>
      <span className={classes(css.picture, css.calm)}>
        <Icon name={icon} size={28} />
      </span>
      <h2>{title}</h2>
      {children && <p className={css.soft}>{children}</p>}
      {action}
    </div>
  );
}

/** Something could not be read: says why, and offers to try again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className={css.empty} role="alert">
      <span className={classes(css.picture, tones.danger)}>
        <Icon name="warning" size={28} />
      </span>
      <h2>{words.failed}</h2>
      <p className={css.soft}>{problemOf(error)}</p>
      {onRetry && (
        <Button icon="refresh" onClick={onRetry}>
          {words.retry}
        </Button>
      )}
    </div>
  );
}

/** What went wrong, in words for people: for a form's message or a toast. */
export function problemOf(error: unknown): string {
  if (error instanceof TypeError) return words.unreachable;
  if (error instanceof DOMException && error.name === 'TimeoutError') return words.tooSlow;
  return error instanceof Error && error.message !== '' ? t.server.said(error.message) : words.unknownProblem;
}

/** A line of news inside a page. */
export function Notice({
  tone = 'info',
  children,
  action,
}: {
  tone?: 'info' | 'good' | 'warn' | 'danger';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={classes(css.notice, tones[tone])} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'warning'} size={18} />
      <div className={css.noticeText}>{children}</div>
      {action}
    </div>
  );
}

/** Grey lines where content will be. */
export function Skeleton({ lines = 3, height = 16 }: { lines?: number; height?: number }) {
  return (
    <div className={css.skeleton} role="status" aria-label={words.loading} data-loading>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The lines are all the same.
        <span key={line} style={{ height, width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

export const Spinner = () => <span className={css.spinner} role="status" aria-label={words.loading} data-loading />;

/** Skeleton, error, or what was read. */
export function Loaded<T>({
  query,
  children,
  lines,
}: {
  query: { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  children: (data: T) => ReactNode;
  lines?: number;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}
