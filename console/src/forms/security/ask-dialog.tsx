import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';

/** Asks for one text before an action, and shows why it failed. */
export function AskDialog({
  title,
  text,
  label,
  hint,
  value: first = '',
  isSecret,
  action,
  isDangerous,
  onSubmit,
  onClose,
}: {
  title: string;
  text?: string;
  label: string;
  hint?: string;
  value?: string;
  isSecret?: boolean;
  action: string;
  isDangerous?: boolean;
  onSubmit: (value: string) => Promise<void>;
  onClose: () => void;
}) {
  const [value, setValue] = useState(first);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async () => {
    setBusy(true);
    try {
      await onSubmit(value);
    } catch (error) {
      setProblem(problemOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind={isDangerous ? 'danger' : 'primary'} type="submit" isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        {text && <p>{text}</p>}
        <TextField
          label={label}
          hint={hint}
          type={isSecret ? 'password' : 'text'}
          value={value}
          onChange={setValue}
          maxLength={isSecret ? 256 : 100}
          autoComplete={isSecret ? 'current-password' : 'off'}
          required
          autoFocus
        />
      </FieldStack>
    </Dialog>
  );
}
