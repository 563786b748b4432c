import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import { recordAudit } from '../audit/record.ts';
import type { Tables } from '../schema/tables.ts';
import { agentLabel } from './agent-label.ts';
import { type IssuedToken, issueToken, type NewToken } from './tokens.ts';

/**
 * Begins a session of a user who has just proved who they are, whatever the way, and records it.
 *
 * @param how the way of the proof, where it is not the password
 */
export async function beginSession(
  tx: Kysely<Tables>,
  call: Pick<Call, 'address' | 'agent' | 'now'>,
  wanted: Pick<NewToken, 'userId' | 'ttl' | 'refreshable'>,
  how?: string,
): Promise<IssuedToken> {
  const { address, now } = call;
  const { userId } = wanted;
  const agent = agentLabel(call.agent);
  const issued = await issueToken(tx, { ...wanted, kind: 'login', agent, address }, now);
  const detail = { ...(agent !== null && { agent }), ...(how !== undefined && { how }) };
  await recordAudit(
    tx,
    { action: 'session.started', actorId: userId, tokenId: issued.id, address, userId, detail },
    now,
  );
  return issued;
}
