import { useState } from 'react';
import { isRefusal } from '../../../api/client.ts';
import { useProveQueue, useRequestQueueProof } from '../../../api/forwarders.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, TextField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';
import css from './ways.module.css';

const words = t.queueProof;

/** Proves the viewer's access to a queue: sends a code to it, and asks for the code. */
export function QueueProofDialog({ arn, onClose }: { arn: string; onClose: () => void }) {
  const request = useRequestQueueProof();
  const prove = useProveQueue();
  const [isSent, setSent] = useState(false);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();

  const send = async () => {
    setProblem(undefined);
    try {
      await request.mutateAsync({ body: { arn } });
      setSent(true);
      setCode('');
    } catch (error) {
      setProblem(words.notSent({ reason: reasonOf(error) }));
    }
  };
  const confirm = async () => {
    setProblem(undefined);
    try {
      await prove.mutateAsync({ body: { arn, code: code.trim() } });
      toast({ text: words.proven, tone: 'good' });
      onClose();
    } catch (error) {
      setProblem(isRefusal(error) && error.status === 422 ? words.wrongCode : problemOf(error));
    }
  };
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      onSubmit={() => void (isSent ? confirm() : send())}
      width="narrow"
      actions={
        <>
          {isSent ? (
            <Button isBusy={request.isPending} onClick={() => void send()}>
              {words.again}
            </Button>
          ) : (
            <Button onClick={onClose}>{common.cancel}</Button>
          )}
          <Button kind="primary" type="submit" isBusy={isSent ? prove.isPending : request.isPending}>
            {isSent ? words.confirm : words.send}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <p>{isSent ? words.sent : words.sendText}</p>
        <code className={css.queue}>{arn}</code>
        {isSent && (
          <TextField
            label={words.code}
            hint={words.codeHint}
            value={code}
            onChange={setCode}
            maxLength={100}
            spellCheck={false}
            autoComplete="off"
            required
            autoFocus
          />
        )}
      </FieldStack>
    </Dialog>
  );
}

/** The reason only: the server puts field names before it. */
const reasonOf = (error: unknown) => problemOf(error).replace(/^.*cannot be proven: (.*?)\.*$/s, '$1.');
