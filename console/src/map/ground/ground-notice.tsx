import { useState } from 'react';
import { t } from '../../texts/t.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { words } from '../../ui/words.ts';
import type { Dressed } from './dress.ts';
import css from './ground.module.css';

/** Shows which part of the background could not be loaded. */
export function GroundNotice({ dressed, onRetry }: { dressed: Dressed; onRetry: () => void }) {
  const { hasFailed, foreign } = dressed;
  // The next problem is shown again.
  const [closed, setClosed] = useState<Dressed>();
  if (closed === dressed || (!hasFailed && foreign.length === 0)) return null;
  const text = hasFailed ? t.ground.failed : t.ground.foreign({ hosts: foreign.join(', ') });
  return (
    <div className={css.room}>
      <div className={css.notice} role="status">
        <span>{text}</span>
        {hasFailed && (
          <Button size="small" onClick={onRetry}>
            {t.ground.retry}
          </Button>
        )}
        <IconButton icon="close" kind="plain" size="small" label={words.dismiss} onClick={() => setClosed(dressed)} />
      </div>
    </div>
  );
}
