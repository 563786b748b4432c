import { useState } from 'react';
import { useAnswerMail } from '../../api/accounts/account-mail.ts';
import css from '../../shell/sign-in-frame.module.css';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { tokenOfLink } from './link-token.ts';

const words = t.byMail;

/** Stops and resumes reports by mail. */
export default function StopPage() {
  const answer = useAnswerMail();
  const [token] = useState(tokenOfLink);
  const problem = token === '' ? words.noToken : answer.error && problemOf(answer.error);
  const isStopped = answer.data?.allow === false;
  const title = isStopped ? words.reportsStopped : answer.data ? words.reportsResumed : words.stopReports;
  return (
    <SignInFrame
      title={title}
      lead={answer.data ? words.reportsTo({ email: answer.data.email }) : words.stopReportsLead}
    >
      <div className={css.form}>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <Button
          kind={isStopped ? 'plain' : 'primary'}
          fills
          isBusy={answer.isPending}
          disabled={token === ''}
          onClick={() => answer.mutate({ body: { token, allow: isStopped } })}
        >
          {isStopped ? words.resumeReports : words.stopReportsSubmit}
        </Button>
      </div>
    </SignInFrame>
  );
}
