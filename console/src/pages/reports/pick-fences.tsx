import { useState } from 'react';
import { count } from '../../format/quantities.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FenceTicks } from './fence-ticks.tsx';
import css from './reports.module.css';

const words = t.reports;

/** Of which geofences visits are told: all, or those that are ticked. */
export function PickFences({
  chosen,
  onChange,
}: {
  chosen: readonly number[];
  onChange: (chosen: readonly number[]) => void;
}) {
  const [ticked, setTicked] = useState<readonly number[]>();
  return (
    <div className={css.fences}>
      <Button icon="fence" onClick={() => setTicked(chosen)}>
        {chosen.length === 0 ? words.allFences : words.someFences(count(chosen.length))}
      </Button>
      {ticked && (
        <FormDialog
          title={words.pickFences}
          action={words.apply}
          error={undefined}
          isBusy={false}
          onSubmit={() => {
            onChange(ticked);
            setTicked(undefined);
          }}
          onClose={() => setTicked(undefined)}
        >
          <FenceTicks chosen={ticked} onChange={setTicked} />
        </FormDialog>
      )}
    </div>
  );
}
