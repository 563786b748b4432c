import { useState } from 'react';
import { type Share, useCreateShare } from '../../../api/shares.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words } from '../../../ui/words.ts';

/** Shares a device with another person, for viewing or managing it. */
export function ShareForm({ deviceId, onClose }: { deviceId: number; onClose: () => void }) {
  const create = useCreateShare();
  const [email, setEmail] = useState('');
  const [rights, setRights] = useState<Share['rights']>('view');
  const share = async () => {
    try {
      await create.mutateAsync({ id: deviceId, body: { email: email.trim(), rights } });
      toast({ text: t.deviceAccess.shared({ email: email.trim() }), tone: 'good' });
      onClose();
    } catch {
      // The notice above the form shows the error.
    }
  };
  return (
    <Dialog
      title={t.deviceAccess.shareTitle}
      onClose={onClose}
      onSubmit={() => void share()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            {t.deviceAccess.share}
          </Button>
        </>
      }
    >
      <FieldStack>
        {create.error && <Notice tone="danger">{problemOf(create.error)}</Notice>}
        <TextField
          label={t.deviceAccess.email}
          hint={t.deviceAccess.emailHint}
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="off"
          required
          autoFocus
        />
        <SelectField<Share['rights']>
          label={t.deviceAccess.rights}
          hint={t.deviceAccess.rightHint[rights]}
          value={rights}
          onChange={setRights}
          choices={(['view', 'manage'] as const).map((value) => ({ value, label: t.deviceAccess.right[value] }))}
        />
      </FieldStack>
    </Dialog>
  );
}
