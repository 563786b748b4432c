import { useState } from 'react';
import { useConfirmEmail } from '../../api/accounts/account-mail.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { Done } from './done.tsx';
import { tokenOfLink } from './link-token.ts';

const words = t.byMail;

/** Requires a button press: programs that scan links in mails must not confirm anything. */
export default function ConfirmPage() {
  const confirm = useConfirmEmail();
  const [token] = useState(tokenOfLink);
  const problem = token === '' ? words.noToken : confirm.error && problemOf(confirm.error);
  if (confirm.data)
    return (
      <Done
        title={words.confirmed}
        text={words.confirmedText({ email: confirm.data.email })}
        action={words.goOn}
        href="/"
      />
    );
  return (
    <SignInFrame title={words.confirm} lead={words.confirmLead}>
      <div className={css.form}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <Button
          kind="primary"
          fills
          isBusy={confirm.isPending}
          disabled={token === ''}
          onClick={() => confirm.mutate({ body: { token } })}
        >
          {words.confirmSubmit}
        </Button>
      </div>
    </SignInFrame>
  );
}
