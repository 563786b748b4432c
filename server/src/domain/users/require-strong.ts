import { invalidField } from '../../refusals.ts';
import { strengthOf } from './strength-thread.ts';

/** Guessing takes long for long texts; whatever follows makes a password only stronger. */
const JUDGED_LENGTH = 32;
const STRONG = 3;
const ADVICE = 'use several words that have nothing to do with each other, or let a password manager make one';

/** What others know about the user of a password. */
export interface PasswordOwner {
  readonly email?: string | null;
  readonly username?: string | null;
  readonly name?: string | null;
}

/**
 * Refuses a password that is easy to guess. Asked wherever a password is set; existing passwords stay.
 * @param field the field of the body that a refusal names
 */
export async function requireStrongPassword(
  password: string,
  owner: PasswordOwner,
  { context = 'user', field = 'password' } = {},
): Promise<void> {
  const said = [owner.email, owner.username, owner.name].filter((text) => typeof text === 'string');
  const known = [...said, ...said.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))].filter(({ length }) => length > 2);
  const { score, warning } = await strengthOf({
    password: password.slice(0, JUDGED_LENGTH),
    known: [...known, 'trackway'],
  });
  if (score >= STRONG) return;
  const why = warning ? ` (${warning.replace(/\.$/, '')})` : '';
  throw invalidField(context, field, 'weak', `is too easy to guess${why}: ${ADVICE}`);
}
