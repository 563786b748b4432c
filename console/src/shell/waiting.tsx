import { isUnreachable } from '../api/session.ts';
import { useStore } from '../store.ts';
import { t } from '../texts/t.ts';
import { Spinner } from '../ui/states.tsx';
import css from './waiting.module.css';

export function Waiting() {
  const isAlone = useStore(isUnreachable);
  return (
    <div className={css.waiting}>
      <Spinner />
      {isAlone && (
        <div role="status">
          <strong>{t.shell.offline}</strong>
          <p>{t.shell.offlineHint}</p>
        </div>
      )}
    </div>
  );
}
