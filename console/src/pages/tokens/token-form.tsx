import { useState } from 'react';
import { useCreateToken } from '../../api/accounts/users.ts';
import { TokenDialog } from '../../forms/token-dialog.tsx';
import { TokenLimitFields, type TokenLimits } from './token-limits.tsx';

/** Creates a token of the viewer, with its limits. */
export function TokenForm({ onClose }: { onClose: () => void }) {
  const create = useCreateToken();
  const [limits, setLimits] = useState<TokenLimits>({ access: 'full', deviceIds: [], families: [] });
  return (
    <TokenDialog
      usualLife="quarter"
      mayLast={limits.access === 'ingest'}
      make={async (token) => (await create.mutateAsync({ body: { ...token, ...bodyOf(limits) } })).token}
      onClose={onClose}
    >
      <TokenLimitFields limits={limits} onChange={setLimits} />
    </TokenDialog>
  );
}

/** Empty lists mean no limit. */
const bodyOf = ({ access, deviceIds, families }: TokenLimits) => ({
  access,
  ...(deviceIds.length > 0 && { deviceIds: [...deviceIds] }),
  ...(families.length > 0 && { families: [...families] }),
});
