import { flag, noun, object, type Sent, text } from '../../schema.ts';

/**
 * The sign-in of a browser. These routes are only for the console and not part of the API: they set and read a cookie,
 * which the API never does.
 */
export const SESSION_ROUTES = {
  /** Signs in: sets the cookie, and returns the token of the tab. */
  begin: '/session',
  /** Exchanges the cookie for a short-lived token. Returns 204 if no user is signed in. */
  token: '/session/token',
  /** Signs out: ends the session of the browser and the tokens of all its tabs. */
  end: '/session/end',
  /** Returns the options for a passkey request of the browser. */
  passkey: '/session/passkey',
  /** Starts the sign-in with OpenID Connect. */
  openid: '/session/openid',
} as const;

export const browserSignIn = noun('credentials', {
  username: text('Username or e-mail address.', { maxLength: 320 }),
  password: text('Password.', { maxLength: 256 }),
  code: text('Code of the authenticator app, or a recovery code.', { maxLength: 64 }),
  passkey: object('What the browser answered when it was asked for a passkey.'),
  openid: flag('Whether this is the second step of a sign-in at a provider.'),
  remember: flag('Whether the browser stays signed in after it is closed.', { default: false }),
});

export type BrowserSignIn = Sent<typeof browserSignIn>;

/** The token of a console tab. */
export interface TabToken {
  readonly token: string;
  readonly userId: number;
  /** Seconds until the token expires. */
  readonly expiresIn: number;
  /** Set for an admin who must set up a second factor before using admin rights. */
  readonly lacksSecondFactor?: true;
}
