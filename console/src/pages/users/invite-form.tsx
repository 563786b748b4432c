import { useState } from 'react';
import { useInvite } from '../../api/accounts/account-mail.ts';
import { useFreshSignIn } from '../../forms/security/confirm-sign-in.tsx';
import { needsPassword } from '../../forms/security/proof.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.byMail;

/** An admin invites a person, who chooses their own password. */
export function InviteForm({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const fresh = useFreshSignIn();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [admin, setAdmin] = useState(false);
  const send = async () => {
    try {
      await fresh.run(async () => {
        await invite.mutateAsync({ body: { email: email.trim(), name: name.trim() || null, admin } });
        toast({ text: words.invited({ email: email.trim() }), tone: 'good' });
        onClose();
      });
    } catch {
      // The notice above the fields shows the error.
    }
  };
  if (fresh.dialog) return fresh.dialog;
  return (
    <Dialog
      title={words.invite}
      onClose={onClose}
      onSubmit={() => void send()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={invite.isPending}>
            {words.inviteSubmit}
          </Button>
        </>
      }
    >
      <FieldStack>
        {invite.error && !needsPassword(invite.error) && <Notice tone="danger">{problemOf(invite.error)}</Notice>}
        <TextField
          label={words.email}
          hint={words.inviteText}
          type="email"
          value={email}
          onChange={setEmail}
          maxLength={320}
          autoComplete="off"
          required
          autoFocus
        />
        <TextField label={t.users.name} value={name} onChange={setName} maxLength={200} autoComplete="off" />
        <Checkbox label={t.users.isAdmin} hint={t.users.isAdminHint} isOn={admin} onChange={setAdmin} />
      </FieldStack>
    </Dialog>
  );
}
