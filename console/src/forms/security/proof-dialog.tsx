import { t } from '../../texts/t.ts';
import { AskDialog } from './ask-dialog.tsx';
import { proofOf } from './proof.ts';

const words = t.security;

/** Asks the viewer to prove who they are, by password or code, before something is done. */
export function ProofDialog({
  onProof,
  ...asked
}: {
  title: string;
  text: string;
  action: string;
  isDangerous?: boolean;
  onProof: (proof: ReturnType<typeof proofOf>) => Promise<void>;
  onClose: () => void;
}) {
  return (
    <AskDialog
      {...asked}
      label={words.passwordOrCode}
      hint={words.proofHint}
      isSecret
      onSubmit={(typed) => onProof(proofOf(typed))}
    />
  );
}
