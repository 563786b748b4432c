import { useState } from 'react';
import { useAnswerMail } from '../../api/accounts/account-mail.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { Done } from './done.tsx';
import { tokenOfLink } from './link-token.ts';

const words = t.byMail;

/** A person, possibly without an account, accepts or declines to receive mail. */
export default function AnswerPage() {
  const answer = useAnswerMail();
  const [token] = useState(tokenOfLink);
  const problem = token === '' ? words.noToken : answer.error && problemOf(answer.error);
  if (answer.data) {
    const { allow, email } = answer.data;
    return (
      <Done
        title={allow ? words.allowed : words.refused}
        text={allow ? words.allowedText({ email }) : words.refusedText({ email })}
      />
    );
  }
  const say = (allow: boolean) => answer.mutate({ body: { token, allow } });
  return (
    <SignInFrame title={words.answer} lead={words.answerLead}>
      <div className={css.form}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <Button kind="primary" fills isBusy={answer.isPending} disabled={token === ''} onClick={() => say(true)}>
          {words.allow}
        </Button>
        <Button fills disabled={token === '' || answer.isPending} onClick={() => say(false)}>
          {words.refuse}
        </Button>
      </div>
    </SignInFrame>
  );
}
