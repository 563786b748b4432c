import type { ReactNode } from 'react';
import css from './target-card.module.css';

/** A destination: name and state, address, and actions. */
export function TargetCard({
  kind,
  badges,
  target,
  about,
  actions,
  children,
}: {
  kind: string;
  badges: ReactNode;
  target: string;
  about?: ReactNode;
  actions: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={css.card} aria-label={`${kind} ${target}`}>
      <header className={css.head}>
        <div className={css.what}>
          <div className={css.kind}>
            {kind}
            {badges}
          </div>
          <code className={css.target}>{target}</code>
          {about}
        </div>
        <div className={css.actions}>{actions}</div>
      </header>
      {children}
    </section>
  );
}
