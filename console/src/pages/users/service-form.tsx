import { useState } from 'react';
import { useLocation } from 'wouter';
import { useCreateServiceAccount } from '../../api/accounts/service-accounts.ts';
import { type User, useUpdateUser } from '../../api/accounts/users.ts';
import { useFreshSignIn } from '../../forms/security/confirm-sign-in.tsx';
import { needsPassword } from '../../forms/security/proof.ts';
import { t } from '../../texts/t.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.serviceAccounts;

/** Creates or edits a service account, for admins. */
export function ServiceForm({ user, onClose }: { user?: User; onClose: () => void }) {
  const [create, update] = [useCreateServiceAccount(), useUpdateUser()];
  const [, navigate] = useLocation();
  const [name, setName] = useState(user?.name ?? '');
  const [admin, setAdmin] = useState(user?.admin ?? false);
  const fresh = useFreshSignIn();
  const problem = [create.error, update.error].find((error) => error && !needsPassword(error));
  const save = async () => {
    const body = { name: name.trim(), admin };
    try {
      await fresh.run(async () => {
        if (user) await update.mutateAsync({ id: user.id, body });
        else {
          const { id } = await create.mutateAsync({ body });
          toast({ text: words.created({ name: body.name }), tone: 'good' });
          navigate(`/users/${id}`);
        }
        onClose();
      });
    } catch {
      // The notice above the fields shows the error.
    }
  };
  if (fresh.dialog) return fresh.dialog;
  return (
    <FormDialog
      title={user ? words.editTitle : words.newTitle}
      action={user ? common.save : words.create}
      error={problem}
      isBusy={create.isPending || update.isPending}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      {!user && <p>{words.lead}</p>}
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        maxLength={200}
        autoComplete="off"
        required
        autoFocus
      />
      <Checkbox label={words.isAdmin} hint={words.isAdminHint} isOn={admin} onChange={setAdmin} />
    </FormDialog>
  );
}
