import { useMe } from './accounts/users.ts';
import { useShares } from './shares.ts';

export interface Maker {
  /** How the person is known to the owner of the device; undefined where no share names them: an admin, or one who was shared with by address. */
  readonly email: string | undefined;
  /** Whether the viewer may change what the other one made: only admins may. */
  readonly mayChange: boolean;
}

/** Who else made a trigger or forwarder of a device; undefined where the viewer did, and until that is known. */
export function useMaker(deviceId: number, userId: number | undefined): Maker | undefined {
  const me = useMe().data;
  const isOther = me !== undefined && userId !== undefined && me.id !== userId;
  const shares = useShares(deviceId, { enabled: isOther, staleTime: 60_000 }).data ?? [];
  if (!isOther) return undefined;
  return { email: shares.find((share) => share.userId === userId)?.email ?? undefined, mayChange: me.admin === true };
}
