import { isApiError } from '@trackway/client/api-error.ts';
import type { ReactNode } from 'react';
import { errorText } from '../texts/error-text.ts';
import { Button } from './button.tsx';
import { classes } from './class-names.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import css from './states.module.css';
import tones from './tones.module.css';
import { words } from './words.ts';

/** An empty state: what would be here, and what to do. */
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

/** A loading error: the reason, and a button to retry. */
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

/** The message of an error, for a form or a toast. */
export function problemOf(error: unknown): string {
  if (error instanceof TypeError) return words.unreachable;
  if (error instanceof DOMException && error.name === 'TimeoutError') return words.tooSlow;
  if (isApiError(error) && error.message !== '') return errorText(error);
  return error instanceof Error && error.message !== '' ? error.message : words.unknownProblem;
}

/** A notice inside a page. */
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

/** Placeholder lines while content is loading. */
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

/** Skeleton, error, or the loaded content. */
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
