import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { useState } from 'react';
import { type User, useCreateUser, useUpdateUser } from '../../api/accounts/users.ts';
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

const words = t.users;

/** Creates or edits a user, for admins. */
export function UserForm({ user, onClose }: { user?: User; onClose: () => void }) {
  const [create, update] = [useCreateUser(), useUpdateUser()];
  const [name, setName] = useState(user?.name ?? '');
  const [email, setEmail] = useState(user?.email ?? '');
  const [username, setUsername] = useState(user?.username ?? '');
  const [password, setPassword] = useState('');
  const [admin, setAdmin] = useState(user?.admin ?? false);
  const fresh = useFreshSignIn();
  const problem = [create.error, update.error].find((error) => error && !needsPassword(error));
  const save = async () => {
    const profile = { name: name.trim() || null, email: email.trim(), username: username.trim() || null, admin };
    try {
      await fresh.run(async () => {
        if (user) {
          await update.mutateAsync({ id: user.id, body: { ...profile, ...(password && { password }) } });
          toast({ text: words.saved, tone: 'good' });
        } else {
          await create.mutateAsync({ body: { ...profile, password } });
          toast({ text: words.created({ name: profile.name ?? profile.email }), tone: 'good' });
        }
        onClose();
      });
    } catch {
      // The notice above the fields shows the error.
    }
  };
  if (fresh.dialog) return fresh.dialog;
  return (
    <Dialog
      title={user ? words.editTitle : words.newTitle}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending || update.isPending}>
            {user ? common.save : words.create}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problemOf(problem)}</Notice>}
        <TextField label={words.name} value={name} onChange={setName} maxLength={200} autoComplete="off" autoFocus />
        <TextField
          label={words.email}
          type="email"
          value={email}
          onChange={setEmail}
          maxLength={320}
          autoComplete="off"
          required
        />
        <TextField
          label={words.username}
          hint={words.usernameHint}
          value={username}
          onChange={setUsername}
          maxLength={100}
          autoComplete="off"
        />
        <TextField
          label={user ? words.newPassword : words.password}
          hint={user ? words.newPasswordHint : words.passwordHint}
          type="password"
          value={password}
          onChange={setPassword}
          minLength={MIN_PASSWORD}
          autoComplete="new-password"
          required={!user}
        />
        <Checkbox label={words.isAdmin} hint={words.isAdminHint} isOn={admin} onChange={setAdmin} />
      </FieldStack>
    </Dialog>
  );
}
