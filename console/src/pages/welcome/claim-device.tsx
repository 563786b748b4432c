import { useState } from 'react';
import { useLocation } from 'wouter';
import { isRefusal } from '../../api/client.ts';
import { useClaimDevice } from '../../api/devices.ts';
import { readFleet } from '../../api/live/fleet.ts';
import { duration } from '../../format/quantities.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './welcome.module.css';

const words = t.welcome.claim;

/** Claims an offered device by its serial number. */
export function ClaimDevice() {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [asks, setAsks] = useState(false);
  const claim = useClaimDevice();
  const serial = typed.trim();
  const confirm = async () => {
    try {
      const { id, name } = await claim.mutateAsync({ body: { serial } });
      await readFleet();
      toast({ text: words.done({ name: name || t.device.unnamed({ id }) }), tone: 'good' });
      navigate(`/devices/${id}`);
    } catch {
      setAsks(false);
    }
  };
  return (
    <form
      className={css.card}
      onSubmit={(event) => {
        event.preventDefault();
        if (serial !== '') setAsks(true);
      }}
    >
      <FieldStack>
        <div>
          <h2>{words.title}</h2>
          <p className={css.soft}>{words.lead}</p>
        </div>
        <TextField
          label={words.serial}
          hint={words.serialHint}
          problem={claim.error ? refusalInWords(claim.error) : undefined}
          value={typed}
          onChange={(value) => {
            claim.reset();
            setTyped(value);
          }}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <div>
          <Button type="submit" icon="key" disabled={serial === ''}>
            {words.ask}
          </Button>
        </div>
      </FieldStack>
      {asks && (
        <ConfirmDialog
          title={words.questionTitle({ serial })}
          action={words.action}
          onConfirm={() => void confirm()}
          onClose={() => setAsks(false)}
          isBusy={claim.isPending}
          isHarmless
        >
          {words.question}
        </ConfirmDialog>
      )}
    </form>
  );
}

/** The server does not reveal which serial numbers exist: all rejections are the same. */
function refusalInWords(error: Error): string {
  if (!isRefusal(error)) return problemOf(error);
  if (error.status === 429 && error.retryAfter) return words.tooOften({ wait: duration(error.retryAfter) });
  return error.status === 400 ? words.refused : problemOf(error);
}
