import { useState } from 'react';
import { useChange } from '../../api/calls.ts';
import { t } from '../../texts/t.ts';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Notice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { needsPassword, proofOf } from '../security/proof.ts';
import css from './data-card.module.css';

export interface Erased {
  readonly kind: 'device' | 'user';
  readonly id: number;
  /** The text to type for confirmation: the name of the device, or the address of the account. */
  readonly name: string;
}

const words = t.personalData;
const LISTS = ['listDevices', 'countDevices', 'listUserDevices'] as const;

/** Lists what will be lost, and asks for confirmation by typing a name. The signed record is saved as a file. */
export function EraseDialog({ of, onErased, onClose }: { of: Erased; onErased: () => void; onClose: () => void }) {
  const { kind, id, name } = of;
  const device = useChange('eraseDevice', LISTS);
  const user = useChange('eraseUser');
  const { error, isPending } = kind === 'device' ? device : user;
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [asksPassword, setAsksPassword] = useState(false);
  const erase = async () => {
    const proof = password === '' ? {} : proofOf(password);
    try {
      const record =
        kind === 'device'
          ? await device.mutateAsync({ id, body: { name: typed.trim(), ...proof } })
          : await user.mutateAsync({ id, body: { email: typed.trim(), ...proof } });
      saveFile(`erasure-${record.id}.json`, 'application/json', JSON.stringify(record, undefined, 2));
      toast({ text: words.erased, tone: 'good' });
      onErased();
    } catch (failure) {
      // The notice above the fields shows the error.
      setAsksPassword((before) => before || needsPassword(failure));
    }
  };
  return (
    <FormDialog
      title={words.eraseTitle({ name })}
      action={words.erase[kind]}
      error={error}
      isBusy={isPending}
      isReady={typed.trim() === name}
      onSubmit={() => void erase()}
      onClose={onClose}
    >
      <Notice tone="danger">{words.forGood}</Notice>
      <ul className={css.lost}>
        {words.lost[kind].map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <p>{words.stays}</p>
      <TextField label={words.confirm({ name })} value={typed} onChange={setTyped} autoComplete="off" required />
      {asksPassword && (
        <TextField
          label={words.password}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
        />
      )}
    </FormDialog>
  );
}
