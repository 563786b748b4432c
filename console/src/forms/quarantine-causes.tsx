import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useState } from 'react';
import { quarantineText } from '../texts/quarantine-text.ts';
import { t } from '../texts/t.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { FramedList } from '../ui/framed-list.tsx';
import { problemOf } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import css from './quarantine-causes.module.css';

type Cause = AnswerOf<'summarizeQuarantine'>[number];

interface QuarantineCausesProps {
  readonly causes: readonly Cause[];
  /** Absent for users who may only view. */
  readonly release?: (reason: string) => Promise<AnswerOf<'releaseQuarantine'>>;
  readonly discard?: (reason: string) => Promise<AnswerOf<'discardQuarantine'>>;
}

const words = t.quarantine;

const countWords = ({ count, devices }: Cause) =>
  devices === undefined || devices < 2 ? words.count({ count }) : words.countOf({ count, devices });

/** Number of quarantined items by reason; all items of a reason are released or discarded together. */
export function QuarantineCauses({ causes, release, discard }: QuarantineCausesProps) {
  const [busy, setBusy] = useState<string>();
  const [unwanted, setUnwanted] = useState<string>();

  async function run(reason: string, work: () => Promise<string>): Promise<void> {
    setBusy(reason);
    try {
      toast({ text: await work(), tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <section aria-label={words.causes}>
      <FramedList>
        {causes.map((cause) => (
          <li key={cause.reason} className={css.row}>
            <span className={css.what}>
              <strong className={css.reason}>{quarantineText(cause)}</strong>
              <span className={css.count}>{countWords(cause)}</span>
            </span>
            {release && (
              <Button
                size="small"
                isBusy={busy === cause.reason}
                aria-label={words.releaseAll({ reason: quarantineText(cause) })}
                onClick={() =>
                  run(cause.reason, async () => {
                    const { released, duplicates, refused } = await release(cause.reason);
                    return refused === 0
                      ? words.released({ released: released + duplicates })
                      : words.releasedSome({ released: released + duplicates, refused });
                  })
                }
              >
                {words.release}
              </Button>
            )}
            {discard && (
              <Button
                size="small"
                kind="quiet"
                aria-label={words.discardAll({ reason: quarantineText(cause) })}
                onClick={() => setUnwanted(cause.reason)}
              >
                {words.discard}
              </Button>
            )}
          </li>
        ))}
      </FramedList>
      {unwanted !== undefined && discard && (
        <ConfirmDialog
          title={words.sureTitle}
          action={words.discard}
          isBusy={busy === unwanted}
          onClose={() => setUnwanted(undefined)}
          onConfirm={async () => {
            await run(unwanted, async () => words.discarded({ count: (await discard(unwanted)).discarded }));
            setUnwanted(undefined);
          }}
        >
          {words.sure}
        </ConfirmDialog>
      )}
    </section>
  );
}
