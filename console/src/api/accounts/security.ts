import type { AnswerOf } from '@trackway/contract/operations.ts';
import { SESSION_ROUTES } from '@trackway/contract/resources/accounts/browser-session.ts';
import { call, readAnew, useChange, useRead } from '../calls.ts';
import { askSession } from '../session.ts';

export type SecondFactor = AnswerOf<'getSecondFactor'>;
export type Passkey = AnswerOf<'listPasskeys'>[number];

const ALL = ['getSecondFactor', 'listPasskeys'] as const;

export const useSecondFactor = (enabled = true) => useRead('getSecondFactor', {}, { enabled });
export const useBeginAuthenticator = () => useChange('beginAuthenticator');
// This may change what an admin can see, but the returned codes are shown first.
export const useConfirmAuthenticator = () => useChange('confirmAuthenticator');
export const useConfirmSignIn = () => useChange('confirmSignIn');
export const useRemoveAuthenticator = () => useChange('removeAuthenticator', ALL);
export const useCreateRecoveryCodes = () => useChange('createRecoveryCodes', ALL);
export const useResetSecondFactor = () => useChange('resetSecondFactor');
export const usePasskeys = () => useRead('listPasskeys', {});
export const useRenamePasskey = () => useChange('updatePasskey', ALL);
export const useDeletePasskey = () => useChange('deletePasskey', ALL);
export const readSecurityAnew = () => readAnew(ALL);

/** Where passkeys work: `here`, at another address of this server, or nowhere. */
export function passkeysWork(publicUrl: string): 'here' | 'elsewhere' | 'nowhere' {
  if (location.hostname === 'localhost' || (publicUrl !== '' && new URL(publicUrl).origin === location.origin))
    return 'PublicKeyCredential' in window && !isAddress(location.hostname) ? 'here' : 'nowhere';
  return publicUrl.startsWith('https:') && !isAddress(new URL(publicUrl).hostname) ? 'elsewhere' : 'nowhere';
}

/** Passkeys require a host name, not an IP address. */
const isAddress = (host: string) => /^[\d.]+$|^\[/.test(host);

/** Creates a passkey in the browser and stores it on the server. */
export async function createPasskey(name: string, proof: { password?: string }): Promise<AnswerOf<'createPasskey'>> {
  const options = await call('beginPasskey')({ body: proof });
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({ optionsJSON: options as never });
  return call('createPasskey')({ body: { name, response: response as never } });
}

/** Requests a passkey from the browser for signing in. */
export async function askPasskey(): Promise<Record<string, unknown>> {
  const options = await askSession<never>(SESSION_ROUTES.passkey);
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return (await startAuthentication({ optionsJSON: options! })) as never;
}
