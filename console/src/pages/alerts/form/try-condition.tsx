import { useTryTrigger } from '../../../api/notifications.ts';
import { dateTime } from '../../../format/times.ts';
import { given, isWhole, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import css from './alert-form.module.css';

const words = t.triggers.try;
const DAYS = 7;
const MOST_SHOWN = 100;

/** Shows the notifications that this trigger would have sent in the past. */
export function TryTrigger({ draft, deviceId }: { draft: TriggerDraft; deviceId: number | undefined }) {
  const trial = useTryTrigger();
  const asked = { type: draft.type, parameters: given(draft.parameters), days: DAYS };
  const isStale = JSON.stringify(trial.variables?.body) !== JSON.stringify(asked) || trial.variables?.id !== deviceId;
  const firings = trial.data?.firings.toReversed() ?? [];
  const run = () => trial.mutate({ id: deviceId!, body: { ...asked, type: draft.type! } });
  return (
    <Card
      title={words.title}
      actions={
        <Button
          size="small"
          icon="history"
          isBusy={trial.isPending}
          disabled={deviceId === undefined || !isWhole(draft)}
          onClick={run}
        >
          {trial.data ? words.again : words.run}
        </Button>
      }
    >
      <div aria-live="polite" className={css.tried}>
        {!trial.data && !trial.error && <p className={css.soft}>{words.lead}</p>}
        {trial.error && <Notice tone="danger">{problemOf(trial.error)}</Notice>}
        {trial.data && (
          <>
            <p>
              <strong>{firings.length === 0 ? words.none : words.times({ count: firings.length })}</strong>{' '}
              {firings.length > DAYS &&
                words.perDay({ perDay: (firings.length / DAYS).toFixed(firings.length < 10 * DAYS ? 1 : 0) })}
            </p>
            {isStale && <Notice tone="warn">{words.stale}</Notice>}
            {!trial.data.complete && <Notice tone="warn">{words.incomplete}</Notice>}
            {firings.length > 0 && (
              <ol className={css.firings}>
                {firings.slice(0, MOST_SHOWN).map(({ timestamp, message, kind, zoneId }) => (
                  <li key={`${timestamp} ${kind} ${zoneId} ${message}`}>
                    <time dateTime={timestamp} className={css.soft}>
                      {dateTime(timestamp)}
                    </time>
                    <span>{message}</span>
                  </li>
                ))}
                {firings.length > MOST_SHOWN && (
                  <li className={css.soft}>{words.more({ count: firings.length - MOST_SHOWN })}</li>
                )}
              </ol>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
