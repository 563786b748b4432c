import type { AnyQuery } from '../storage/database.ts';
import { CannotOpen, type Vault } from '../vault.ts';
import { makeSecret, type Secret } from './destinations.ts';

/**
 * The secrets of a destination, encrypted in its row. A destination is made wherever something is sent to it first, which
 * may be a thread without the key; so its first secret is made when it is first needed.
 */
const contextOf = (id: number) => `destinations.secrets:${id}`;

/** What a new destination that signs has in place of secrets. */
export const NONE_YET = '[]';

/** The one in use first. `unreadable` where the key is missing: nothing is sent then, since nobody would trust it. */
export type OpenedSecrets = readonly Secret[] | 'unreadable';

export function openSecrets(vault: Vault, id: number, cell: string | null): OpenedSecrets {
  if (cell === null) return [];
  const stored = JSON.parse(cell) as string | Secret[];
  // A list was stored in plain by an earlier version.
  if (typeof stored !== 'string') return stored;
  try {
    return JSON.parse(vault.open(stored, contextOf(id))) as Secret[];
  } catch (error) {
    if (error instanceof CannotOpen) return 'unreadable';
    throw error;
  }
}

/** For whoever shows or replaces them: none where they cannot be read. */
export const readable = (secrets: OpenedSecrets): readonly Secret[] => (secrets === 'unreadable' ? [] : secrets);

export const sealSecrets = (vault: Vault, id: number, secrets: readonly Secret[]): string =>
  JSON.stringify(vault.seal(JSON.stringify(secrets), contextOf(id)));

/** The same, and makes the first one. The caller holds the row. */
export async function secretsInUse(
  tx: AnyQuery,
  vault: Vault,
  id: number,
  cell: string | null,
): Promise<OpenedSecrets> {
  if (cell === null || JSON.stringify(JSON.parse(cell)) !== NONE_YET) return openSecrets(vault, id, cell);
  const secrets: Secret[] = [{ secret: makeSecret(), until: null }];
  await tx
    .updateTable('destinations')
    .set({ secrets: sealSecrets(vault, id, secrets) })
    .where('id', '=', id)
    .execute();
  return secrets;
}
