import type { ReactNode } from 'react';
import { t } from '../texts/t.ts';
import { useTitle } from '../ui/page.tsx';
import css from './sign-in-frame.module.css';

/** The frame of the pages before the sign-in. */
export function SignInFrame({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={css.frame}>
      <div className={css.card}>
        <div className={css.brand}>
          <img src="/pages/icon.svg" alt="" width={40} height={40} />
          <span>{t.shell.product}</span>
        </div>
        <h1>{title}</h1>
        {lead && <p className={css.lead}>{lead}</p>}
        {children}
      </div>
    </main>
  );
}
