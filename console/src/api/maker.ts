import { useMe } from './accounts/users.ts';
import { useShares } from './shares.ts';

export interface Maker {
  /**
   * The person's address as the device owner knows it; undefined if no share names them: an admin, or a user who was
   * shared with by address.
   */
  readonly email: string | undefined;
  /** Whether the viewer may change another user's trigger or forwarder: only admins may. */
  readonly mayChange: boolean;
}

/** The creator of a trigger or forwarder of a device; undefined if it is the viewer, and while loading. */
export function useMaker(deviceId: number, userId: number | undefined): Maker | undefined {
  const me = useMe().data;
  const isOther = me !== undefined && userId !== undefined && me.id !== userId;
  const shares = useShares(deviceId, { enabled: isOther, staleTime: 60_000 }).data ?? [];
  if (!isOther) return undefined;
  return { email: shares.find((share) => share.userId === userId)?.email ?? undefined, mayChange: me.admin === true };
}
