import type { Vault } from '../../../platform/vault.ts';

/** What a user has who signed in at a provider and still owes the second factor. */
export interface Ticket {
  readonly userId: number;
  readonly remember: boolean;
  readonly expiresAt: number;
}

const CONTEXT = 'openid ticket';
const LIFE_MS = 10 * 60_000;

export const newTicket = (vault: Vault, userId: number, remember: boolean, now: number): string =>
  vault.seal(JSON.stringify({ userId, remember, expiresAt: now + LIFE_MS } satisfies Ticket), CONTEXT);

/** Undefined for one that has expired, or is none. */
export function openTicket(vault: Vault, sealed: string, now: number): Ticket | undefined {
  if (!sealed.startsWith('sealed:')) return undefined;
  try {
    const ticket = JSON.parse(vault.open(sealed, CONTEXT)) as Ticket;
    return ticket.expiresAt > now ? ticket : undefined;
  } catch {
    return undefined;
  }
}
