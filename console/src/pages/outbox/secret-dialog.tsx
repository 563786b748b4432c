import { useRead } from '../../api/calls.ts';
import { useRotateSecret } from '../../api/outbox.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CopyField } from '../../ui/fields/copy-field.tsx';
import { FieldStack } from '../../ui/fields/field.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.outbox;

/** The signing secret of a webhook, and its rotation. */
export function SecretDialog({ destinationId, onClose }: { destinationId: number; onClose: () => void }) {
  const query = useRead('getWebhookSecret', { id: 'me', fk: destinationId });
  const rotate = useRotateSecret();
  const renew = async () => {
    try {
      await rotate.mutateAsync({ id: 'me', fk: destinationId });
      toast({ text: words.rotated, tone: 'good' });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Dialog
      title={words.secretTitle}
      onClose={onClose}
      actions={
        <>
          <Button icon="refresh" isBusy={rotate.isPending} onClick={() => void renew()}>
            {words.rotate}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {common.close}
          </Button>
        </>
      }
    >
      <FieldStack>
        <p>{words.secretText}</p>
        <Loaded query={query} lines={1}>
          {({ secret }) => <CopyField label={words.secretLabel} value={secret} />}
        </Loaded>
        <p>{words.rotateText}</p>
      </FieldStack>
    </Dialog>
  );
}
