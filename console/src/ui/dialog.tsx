import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './class-names.ts';
import css from './dialog.module.css';
import { words } from './words.ts';

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the bottom. */
  readonly actions?: ReactNode;
  /** Makes it a form: submitted by Enter, or by a submit button among the actions. */
  readonly onSubmit?: () => void;
  readonly width?: 'narrow' | 'normal' | 'wide';
}

/** A modal dialog. It is open while it is rendered; Escape and a press outside request closing. */
export function Dialog({ title, onClose, children, actions, onSubmit, width = 'normal' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = dialog.current!;
    // The browser keeps the focus inside, and restores it at the end.
    if (!element.open) element.showModal();
    // The content is rendered afterwards: a field cannot receive the focus while the dialog is closed.
    setOpen(true);
    return () => element.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit?.();
  };
  const content = (
    <>
      <header className={css.head}>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={words.close} size="small" onClick={onClose} />
      </header>
      <div className={css.body}>{children}</div>
      {actions && <footer className={css.foot}>{actions}</footer>}
    </>
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a press outside the dialog.
    <dialog
      ref={dialog}
      className={classes(css.dialog, css[width])}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {!isOpen ? null : onSubmit ? (
        <form className={css.frame} onSubmit={submit} noValidate={false}>
          {content}
        </form>
      ) : (
        <div className={css.frame}>{content}</div>
      )}
    </dialog>
  );
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  action,
  onConfirm,
  onClose,
  isBusy,
  isHarmless,
}: {
  title: string;
  children: ReactNode;
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  isBusy?: boolean;
  isHarmless?: boolean;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind={isHarmless ? 'primary' : 'danger'} isBusy={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
