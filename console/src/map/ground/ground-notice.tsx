import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import type { Dressed } from './dress.ts';
import css from './ground.module.css';

/** Says what of the ground could not be loaded. */
export function GroundNotice({ dressed, onRetry }: { dressed: Dressed; onRetry: () => void }) {
  const { hasFailed, foreign } = dressed;
  if (!hasFailed && foreign.length === 0) return null;
  const text = hasFailed ? t.ground.failed : t.ground.foreign(foreign.join(', '));
  return (
    <div className={css.notice} role="status">
      <span>{text}</span>
      {hasFailed && (
        <Button size="small" onClick={onRetry}>
          {t.ground.retry}
        </Button>
      )}
    </div>
  );
}
