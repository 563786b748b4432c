/** Loaded when the first passkey is used: with all that belongs to it, it is a sixth of the files of the program. */
export const webauthn = () => import('@simplewebauthn/server');
