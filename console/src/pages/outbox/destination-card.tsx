import { isChannel, specOf } from '@trackway/contract/channels.ts';
import { useState } from 'react';
import { useUser } from '../../api/accounts/users.ts';
import { type Destination, useReopenAnyDestination, useReopenDestination, useTestDelivery } from '../../api/outbox.ts';
import { useServerInfo } from '../../api/server-info.ts';
import { count, duration } from '../../format/quantities.ts';
import { SetUpLink } from '../../forms/set-up-link.tsx';
import { reasonText } from '../../texts/reason-text.ts';
import { t } from '../../texts/t.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Facts } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { TargetCard } from '../../ui/target-card.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { kindName, targetName } from './target-name.ts';

const words = t.outbox;
const TONES: Readonly<Record<string, Tone>> = { up: 'good', down: 'danger', off: 'plain', notSetUp: 'warn' };

/** One destination: state, delay, errors and actions. */
export function DestinationCard({ destination, whose }: { destination: Destination; whose: 'mine' | 'all' }) {
  const { id, kind, userId, waiting, lag, dead, lastSuccess, lastError, lastErrorDetails, downSince, nextTryAt } =
    destination;
  const channels = useServerInfo().data?.channels;
  // The server keeps its state from when it last sent something.
  const state = isChannel(kind) && channels?.[kind] === false ? 'notSetUp' : destination.state;
  const [reopen, reopenAny, test] = [useReopenDestination(), useReopenAnyDestination(), useTestDelivery()];
  const owner = useUser(userId ?? 0, { enabled: whose === 'all' && userId !== null }).data;
  const [showsSecret, setShowsSecret] = useState(false);
  const act = async (what: () => Promise<unknown>, done: string) => {
    try {
      await what();
      toast({ text: done, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const tryNow = () => (whose === 'all' ? reopenAny.mutateAsync({ id }) : reopen.mutateAsync({ id: 'me', fk: id }));
  return (
    <TargetCard
      kind={kindName(kind)}
      badges={
        <>
          <Badge tone={TONES[state] ?? 'plain'} hasDot>
            {words.states[state as keyof typeof words.states] ?? state}
          </Badge>
          {whose === 'all' && (
            <Badge>{userId === null ? words.operator : (owner?.email ?? words.user({ id: userId }))}</Badge>
          )}
        </>
      }
      target={targetName(destination)}
      actions={
        <>
          {(state === 'down' || state === 'off') && (
            <Button
              size="small"
              kind="primary"
              icon="refresh"
              isBusy={reopen.isPending || reopenAny.isPending}
              onClick={() => void act(tryNow, words.reopened)}
            >
              {words.reopen}
            </Button>
          )}
          {whose === 'mine' && (
            <>
              <Button
                size="small"
                icon="send"
                isBusy={test.isPending}
                onClick={() => void act(() => test.mutateAsync({ id: 'me', fk: id }), words.tested)}
              >
                {words.test}
              </Button>
              {isChannel(kind) && specOf(kind).isSigned && (
                <Button size="small" icon="key" onClick={() => setShowsSecret(true)}>
                  {words.secret}
                </Button>
              )}
              <ButtonLink size="small" kind="quiet" href={`/outbox/deliveries?destination=${id}&status=all`}>
                {words.look}
              </ButtonLink>
            </>
          )}
        </>
      }
    >
      <Facts
        facts={[
          [words.waiting, waiting === 0 ? words.nothing : count(waiting)],
          [words.lag, lag === null ? null : duration(lag)],
          [words.dead, dead === 0 ? words.nothing : count(dead)],
          [words.lastSuccess, lastSuccess ? <Ago key="success" time={lastSuccess} /> : words.never],
          [words.downSince, downSince && <Ago key="down" time={downSince} />],
          [words.nextTry, state === 'down' && nextTryAt ? <Ago key="next" time={nextTryAt} /> : null],
        ]}
      />
      {state !== 'up' && (lastError || state === 'notSetUp') && (
        <Notice tone={state === 'down' ? 'danger' : 'warn'} action={state === 'notSetUp' && <SetUpLink />}>
          {lastError ? reasonText(lastError, lastErrorDetails) : words.states.notSetUp}
        </Notice>
      )}
      {showsSecret && <SecretDialog destinationId={id} onClose={() => setShowsSecret(false)} />}
    </TargetCard>
  );
}
