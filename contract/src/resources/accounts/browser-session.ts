import { flag, noun, object, type Sent, text } from '../../schema.ts';

/**
 * The sign-in of a browser. These routes are for the console alone and not part of the API: they set and read a cookie,
 * which the API never does.
 */
export const SESSION_ROUTES = {
  /** Signs in: sets the cookie, and answers the token of the tab. */
  begin: '/session',
  /** Trades the cookie for a short token. Answers 204 where nobody is signed in. */
  token: '/session/token',
  /** Signs out: ends the session of the browser, with the tokens of all its tabs. */
  end: '/session/end',
  /** What the browser needs to ask for a passkey. */
  passkey: '/session/passkey',
  /** Where the browser goes to sign in by OpenID Connect. */
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

/** What a tab of the console gets. */
export interface TabToken {
  readonly token: string;
  readonly userId: number;
  /** Seconds until the token expires. */
  readonly expiresIn: number;
  /** Set for an admin who has to set up a second factor before acting as one. */
  readonly lacksSecondFactor?: true;
}
