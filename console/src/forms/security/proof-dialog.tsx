import { t } from '../../texts/t.ts';
import { AskDialog } from './ask-dialog.tsx';
import { proofOf } from './proof.ts';

const words = t.security;

/**
 * Asks the viewer to confirm their identity, by password or code, before an action.
 * @param needsCode whether a password alone is rejected
 */
export function ProofDialog({
  onProof,
  needsCode = false,
  ...asked
}: {
  title: string;
  text: string;
  action: string;
  isDangerous?: boolean;
  needsCode?: boolean;
  onProof: (proof: ReturnType<typeof proofOf>) => Promise<void>;
  onClose: () => void;
}) {
  return (
    <AskDialog
      {...asked}
      label={needsCode ? words.codeFromApp : words.passwordOrCode}
      hint={words.proofHint}
      isSecret
      onSubmit={(typed) => onProof(proofOf(typed))}
    />
  );
}
