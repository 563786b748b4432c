import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './dialog.tsx';
import { problemOf } from './states.tsx';
import { toast } from './toast.tsx';

/** Asks for confirmation, runs the action, reports success or the error, and closes. */
export function ActDialog({
  title,
  action,
  done,
  act,
  onClose,
  children,
}: {
  title: string;
  action: string;
  /** The message after success. */
  done: string;
  act: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await act();
      toast({ text: done });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    onClose();
  };
  return (
    <ConfirmDialog title={title} action={action} onConfirm={() => void confirm()} onClose={onClose} isBusy={isBusy}>
      {children}
    </ConfirmDialog>
  );
}
