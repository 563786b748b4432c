import type { ForwarderRow } from '../schema/tables.ts';

/** Where things are sent. The mail server and the broker are the operator's, and everyone's: they belong to nobody. */
export interface Server {
  readonly target: string;
  readonly ownerId: number | null;
}

export const MAIL_SERVER: Server = { target: 'smtp', ownerId: null };
export const BROKER: Server = { target: 'broker', ownerId: null };

/** The server of a forwarder: on the broker it has a topic, elsewhere a server of its user's own. */
export const serverOf = (kind: ForwarderRow['kind'], target: string, userId: number): Server =>
  kind === 'mqtt' ? BROKER : { target, ownerId: userId };
