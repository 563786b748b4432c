import { type FormEvent, useState } from 'react';
import { type User, useUpdateUser } from '../../api/accounts/users.ts';
import { useFreshSignIn } from '../../forms/security/confirm-sign-in.tsx';
import { needsPassword } from '../../forms/security/proof.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.settings;

export function ProfileCard({ me }: { me: User }) {
  const update = useUpdateUser();
  const fresh = useFreshSignIn();
  const [name, setName] = useState(me.name ?? '');
  const [email, setEmail] = useState(me.email);
  const [username, setUsername] = useState(me.username ?? '');
  const [currentPassword, setCurrentPassword] = useState('');
  const changesEmail = email.trim().toLowerCase() !== me.email.toLowerCase();
  const send = async () => {
    const { newEmail } = await update.mutateAsync({
      id: me.id,
      body: {
        name: name.trim() || null,
        username: username.trim() || null,
        ...(changesEmail && { email: email.trim(), currentPassword }),
      },
    });
    setCurrentPassword('');
    const waits = changesEmail && newEmail !== null;
    // The old address stays until the new one is confirmed.
    if (waits) setEmail(me.email);
    toast({ text: waits ? t.byMail.sent({ email: newEmail }) : words.saved, tone: 'good' });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await fresh.run(send);
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <Card title={words.profile}>
      <form onSubmit={save}>
        <FieldStack>
          {update.error && !needsPassword(update.error) && <Notice tone="danger">{problemOf(update.error)}</Notice>}
          <TextField label={words.name} value={name} onChange={setName} maxLength={200} autoComplete="name" />
          <TextField
            label={words.email}
            type="email"
            value={email}
            onChange={setEmail}
            maxLength={320}
            autoComplete="email"
            required
          />
          {changesEmail && (
            <TextField
              label={words.currentPassword}
              hint={words.currentPasswordHint}
              type="password"
              value={currentPassword}
              onChange={setCurrentPassword}
              autoComplete="current-password"
              required
            />
          )}
          <TextField
            label={words.username}
            hint={words.usernameHint}
            value={username}
            onChange={setUsername}
            maxLength={100}
            autoComplete="username"
          />
          <div>
            <Button kind="primary" type="submit" isBusy={update.isPending}>
              {words.save}
            </Button>
          </div>
        </FieldStack>
      </form>
      {fresh.dialog}
    </Card>
  );
}
