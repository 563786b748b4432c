import type { ReactNode } from 'react';
import { Row } from '../../ui/page.tsx';
import css from './titled-list.module.css';

/** A table or list with its own frame, a heading and a pager. */
export const TitledList = ({ title, pager, children }: { title: string; pager?: ReactNode; children: ReactNode }) => (
  <section className={css.section}>
    <Row spread>
      <h2>{title}</h2>
      {pager}
    </Row>
    {children}
  </section>
);
