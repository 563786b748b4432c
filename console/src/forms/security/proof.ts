import { isRefusal } from '../../api/client.ts';

/** Also true if the account's second factor is missing. */
export const needsPassword = (error: unknown) =>
  isRefusal(error) && (error.code === 'FRESH_SIGN_IN_REQUIRED' || error.code === 'SECOND_FACTOR_REQUIRED');

/** The typed proof of identity: six digits or a recovery code is a code, anything else a password. */
export function proofOf(typed: string): { password: string } | { code: string } {
  const bare = typed.replaceAll(/\s/g, '');
  const isCode = /^\d{6}$/.test(bare) || /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/i.test(bare);
  return isCode ? { code: bare } : { password: typed };
}
