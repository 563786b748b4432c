import { useState } from 'react';
import { useChange } from '../../../api/calls.ts';
import type { Forwarder } from '../../../api/forwarders.ts';
import { useMaker } from '../../../api/maker.ts';
import { duration } from '../../../format/quantities.ts';
import { reasonText } from '../../../texts/reason-text.ts';
import { messageFor, t, textFor } from '../../../texts/t.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Facts } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { TargetCard } from '../../../ui/target-card.tsx';
import { Ago } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { ForwarderForm } from './forwarder-form.tsx';
import { QueueProofDialog } from './queue-proof-dialog.tsx';
import css from './ways.module.css';

/** A destination with a longer delay is marked. */
const LATE_S = 60;

/** One destination: forwarded data, delay, and errors. */
export function ForwarderCard({ forwarder }: { forwarder: Forwarder }) {
  const { id, deviceId, kind, target, types, active, status, state, waiting, lag, lastSuccess } = forwarder;
  const lastError = forwarder.lastError && reasonText(forwarder.lastError, forwarder.lastErrorDetails);
  const update = useChange('updateForwarder', ['listForwarders']);
  const remove = useChange('deleteForwarder', ['listForwarders']);
  const [asks, setAsks] = useState<'edit' | 'remove' | 'prove'>();
  const maker = useMaker(deviceId, forwarder.userId);
  const needsProof = state === 'unproven';
  const { tone, word } = needsProof ? NEEDS_PROOF : healthOf(forwarder);
  const toggle = async () => {
    try {
      await update.mutateAsync({ id: deviceId, fk: id, body: { active: !active } });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const confirm = async () => {
    try {
      await remove.mutateAsync({ id: deviceId, fk: id });
      toast({ text: t.deviceWays.removed });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
      setAsks(undefined);
    }
  };
  return (
    <TargetCard
      kind={t.channels[kind].forwarder.name}
      badges={
        <Badge tone={tone} hasDot>
          {word}
        </Badge>
      }
      target={target}
      about={
        <>
          {(needsProof || state !== 'working') && (
            <div className={css.soft}>
              {needsProof
                ? t.queueProof.missing
                : (messageFor(t.deviceWays.status, state ?? '', { error: lastError ?? '' }) ?? status)}
            </div>
          )}
          {maker && <div>{t.makers.madeBy({ email: maker.email })}</div>}
          <div>{types.map((type) => textFor(t.deviceWays.type, type) ?? type).join(', ')}</div>
        </>
      }
      actions={
        <>
          {needsProof && !maker && (
            <Button size="small" kind="primary" onClick={() => setAsks('prove')}>
              {t.queueProof.action}
            </Button>
          )}
          <Button size="small" isBusy={update.isPending} onClick={() => void toggle()}>
            {active ? t.deviceWays.switchOff : t.deviceWays.switchOn}
          </Button>
          {maker?.mayChange !== false && (
            <IconButton icon="edit" size="small" label={t.deviceWays.editTitle} onClick={() => setAsks('edit')} />
          )}
          <IconButton icon="trash" size="small" label={t.deviceWays.removeAction} onClick={() => setAsks('remove')} />
        </>
      }
    >
      <Facts
        facts={[
          [t.deviceWays.waiting, t.deviceWays.waitingCount({ count: waiting })],
          [t.deviceWays.lag, lag === null ? t.deviceWays.noLag : duration(lag)],
          [t.deviceWays.lastSuccess, lastSuccess ? <Ago key="success" time={lastSuccess} /> : t.deviceWays.never],
        ]}
      />
      {lastError && !needsProof && <Notice tone={tone === 'danger' ? 'danger' : 'warn'}>{lastError}</Notice>}
      {asks === 'prove' && <QueueProofDialog arn={target} onClose={() => setAsks(undefined)} />}
      {asks === 'edit' && (
        <ForwarderForm deviceId={deviceId} forwarder={forwarder} onClose={() => setAsks(undefined)} />
      )}
      {asks === 'remove' && (
        <ConfirmDialog
          title={t.deviceWays.removeTitle}
          action={t.deviceWays.removeAction}
          onConfirm={() => void confirm()}
          onClose={() => setAsks(undefined)}
          isBusy={remove.isPending}
        >
          {t.deviceWays.removeText}
        </ConfirmDialog>
      )}
    </TargetCard>
  );
}

const NEEDS_PROOF = { tone: 'warn', word: t.queueProof.badge } as const;

function healthOf({ active, waiting, lag, lastError, lastSuccess }: Forwarder): { tone: Tone; word: string } {
  if (!active) return { tone: 'plain', word: t.deviceWays.isOff };
  if (lastError && waiting > 0) return { tone: 'danger', word: t.deviceWays.failing };
  if ((lag ?? 0) > LATE_S) return { tone: 'warn', word: t.deviceWays.waits };
  if (!lastSuccess) return { tone: 'info', word: t.deviceWays.unused };
  return { tone: 'good', word: t.deviceWays.works };
}
