import { useSecondFactor } from '../../api/accounts/security.ts';
import { signOut } from '../../api/signing.ts';
import { SecurityRows } from '../../forms/security/security-rows.tsx';
import { SignInFrame } from '../../shell/sign-in-frame.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Stack } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';

/** The page for an admin who must set up a second factor first. */
export default function EnrolPage() {
  const query = useSecondFactor();
  return (
    <SignInFrame title={t.security.demandedTitle} lead={t.security.demandedLead}>
      <Stack>
        <Loaded query={query}>{(state) => <SecurityRows state={state} />}</Loaded>
        <Button kind="quiet" icon="signOut" fills onClick={() => void signOut()}>
          {t.security.signOut}
        </Button>
      </Stack>
    </SignInFrame>
  );
}
