import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FieldStack } from './fields/field.tsx';
import { Notice, problemOf } from './states.tsx';
import { words } from './words.ts';

/** A form in a dialog: the error above the fields, and buttons to cancel and submit below. */
export function FormDialog({
  title,
  action,
  error,
  isBusy,
  isReady = true,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The text of the submit button. */
  action: string;
  error: unknown;
  isBusy: boolean;
  /** Whether it can be submitted. */
  isReady?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={onSubmit}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {error ? <Notice tone="danger">{problemOf(error)}</Notice> : null}
        {children}
      </FieldStack>
    </Dialog>
  );
}
