import { type ReactNode, useState } from 'react';
import { useConfirmSignIn, useSecondFactor } from '../../api/accounts/security.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/states.tsx';
import { words as common } from '../../ui/words.ts';
import { needsPassword } from './proof.ts';
import { ProofDialog } from './proof-dialog.tsx';

const words = t.security;

type Act = () => Promise<void>;

/**
 * Runs an action that needs a recent sign-in. If the sign-in is too old, the viewer confirms it, and the action runs
 * again. `dialog` is for the page to render.
 */
export function useFreshSignIn(): { run: (act: Act) => Promise<void>; dialog: ReactNode } {
  const [waiting, setWaiting] = useState<Act>();
  const close = () => setWaiting(undefined);
  return {
    async run(act) {
      try {
        await act();
      } catch (error) {
        if (!needsPassword(error)) throw error;
        setWaiting(() => act);
      }
    },
    dialog: waiting && (
      <ConfirmSignIn
        onConfirmed={async () => {
          await waiting();
          close();
        }}
        onClose={close}
      />
    ),
  };
}

function ConfirmSignIn({ onConfirmed, onClose }: { onConfirmed: () => Promise<void>; onClose: () => void }) {
  const confirm = useConfirmSignIn();
  const state = useSecondFactor().data;
  if (state && !state.hasPassword && !state.authenticator)
    return (
      <Dialog
        title={words.confirmTitle}
        onClose={onClose}
        width="narrow"
        actions={<Button onClick={onClose}>{common.cancel}</Button>}
      >
        <Notice tone="warn">{words.noPassword}</Notice>
      </Dialog>
    );
  return (
    <ProofDialog
      title={words.confirmTitle}
      text={words.freshness}
      action={words.confirmIt}
      onProof={async (body) => {
        await confirm.mutateAsync({ body });
        await onConfirmed();
      }}
      onClose={onClose}
    />
  );
}
