import { Link, useLocation } from 'wouter';
import { useRead } from '../api/calls.ts';
import css from './store-warning.module.css';

const LOOK_MS = 60_000;

/** Shows admins, on every page, problems of the database or its disk. The health page shows them itself. */
export function StoreWarning() {
  const [path] = useLocation();
  const { data } = useRead('getHealth', {}, { refetchInterval: LOOK_MS });
  const [worst] = [...(data?.problems ?? [])].sort((a, b) => Number(a.isWarning) - Number(b.isWarning));
  if (worst === undefined || path === '/health') return null;
  return (
    <div className={worst.isWarning ? css.warning : css.danger} role="alert">
      <Link href="/health">{worst.sentence}</Link>
    </div>
  );
}
