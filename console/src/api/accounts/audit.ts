import { addressOf } from '@trackway/client/address.ts';
import { errorOf } from '@trackway/client/api-error.ts';
import type { Filter } from '@trackway/contract/operation.ts';
import { type AnswerOf, OPERATIONS } from '@trackway/contract/operations.ts';
import { type ReadOptions, useRead } from '../calls.ts';
import { freshToken } from '../session.ts';

export type AuditEntry = AnswerOf<'listAuditEntries'>[number];

export const useAuditEntries = (filter: Filter, options?: ReadOptions) =>
  useRead('listAuditEntries', { filter }, options);

/** The entries of a time range as CSV. It is a file, not JSON, so the client's methods cannot read it. */
export async function exportAuditEntries(range: { from?: string; to?: string }): Promise<Blob> {
  const address = addressOf(OPERATIONS.exportAuditEntries, 'v1', range);
  const answer = await fetch(address, { headers: { authorization: (await freshToken()) ?? '' } });
  if (!answer.ok) throw await errorOf(answer);
  return answer.blob();
}
