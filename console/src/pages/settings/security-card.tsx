import { useSecondFactor } from '../../api/accounts/security.ts';
import { SecurityRows } from '../../forms/security/security-rows.tsx';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';

export function SecurityCard() {
  const query = useSecondFactor();
  return (
    <Card title={t.security.title}>
      <Loaded query={query}>{(state) => <SecurityRows state={state} />}</Loaded>
    </Card>
  );
}
