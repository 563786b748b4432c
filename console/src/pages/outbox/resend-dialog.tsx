import { useState } from 'react';
import { useResendDeliveries } from '../../api/outbox.ts';
import { dayKey } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldRow, FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.outbox;
const DAY_MS = 86_400_000;
type Which = 'dead' | 'sent';

/** Sends the deliveries of a time range again. */
export function ResendDialog({ destination, onClose }: { destination: number | undefined; onClose: () => void }) {
  const resend = useResendDeliveries();
  const [from, setFrom] = useState(() => inputOf(Date.now() - DAY_MS));
  const [to, setTo] = useState(() => inputOf(Date.now() + 60_000));
  const [which, setWhich] = useState<Which>('dead');
  const send = async () => {
    const body = {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      status: which,
      ...(destination !== undefined && { destinationId: destination }),
    };
    try {
      const { count } = await resend.mutateAsync({ id: 'me', body });
      toast({ text: words.resent({ count }), tone: 'good' });
      onClose();
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <Dialog
      title={words.resendTitle}
      onClose={onClose}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={resend.isPending}>
            {words.resendAction}
          </Button>
        </>
      }
    >
      <FieldStack>
        {resend.error && <Notice tone="danger">{problemOf(resend.error)}</Notice>}
        <p>{words.resendText}</p>
        <FieldRow>
          <TextField label={words.from} type="datetime-local" value={from} onChange={setFrom} required />
          <TextField label={words.to} type="datetime-local" value={to} onChange={setTo} required />
        </FieldRow>
        <SelectField<Which>
          label={words.which}
          value={which}
          onChange={setWhich}
          choices={(['dead', 'sent'] as const).map((value) => ({ value, label: words.whichOnes[value] }))}
        />
      </FieldStack>
    </Dialog>
  );
}

/** The value of a local time input: `2026-11-15T08:30`. */
function inputOf(time: number): string {
  const when = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${dayKey(when)}T${two(when.getHours())}:${two(when.getMinutes())}`;
}
