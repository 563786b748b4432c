import type { FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { useState } from 'react';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FenceTicks } from './fence-ticks.tsx';
import css from './reports.module.css';

const words = t.reports;

/** The geofences of a report: all or everywhere, or the selected ones. */
export function PickFences({
  kind,
  chosen,
  onChange,
}: {
  kind: FleetReportKind;
  chosen: readonly number[];
  onChange: (chosen: readonly number[]) => void;
}) {
  const [ticked, setTicked] = useState<readonly number[]>();
  return (
    <div className={css.fences}>
      <Button icon="fence" onClick={() => setTicked(chosen)}>
        {chosen.length > 0
          ? words.someFences({ count: chosen.length })
          : kind === 'visits'
            ? words.allFences
            : words.everywhere}
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
          <FenceTicks kind={kind} chosen={ticked} onChange={setTicked} />
        </FormDialog>
      )}
    </div>
  );
}
