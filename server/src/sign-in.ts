import type { BrowserSignIn, TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';

/** Where edge and domain meet when a browser signs in: the edge has the cookie, the domain its session. */

/** Where a request to sign in comes from. */
export interface Visitor {
  readonly address: string;
  /** The origin of the page that calls, or of this server as the caller addresses it. */
  readonly origin: string;
  /** Whether people reach this server by https, whatever its proxy reports. */
  readonly isSecure?: boolean;
  /** The program that calls, as it names itself. */
  readonly agent?: string;
  readonly now: number;
}

export interface BrowserSession {
  readonly tab: TabToken;
  /** What the cookie holds. */
  readonly secret: string;
  /** Seconds that the browser keeps the cookie; absent if it forgets the cookie when it is closed. */
  readonly keptFor?: number;
}

/** The claims of an OpenID Connect provider about the user who signed in there. */
export interface OpenidClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider has verified the address. */
  readonly isVerified: boolean;
  readonly name: string | undefined;
  readonly usedSecondFactor: boolean;
}

/** Why a user who signed in at the provider may not sign in here; the console has a sentence for each. */
export type OpenidProblem = 'unverified' | 'domain' | 'unknown' | 'unconfirmed';

export interface BrowserSessions {
  /**
   * Refuses wrong credentials. `earlier` is the cookie that the browser had: that session ends. `ticket` identifies a
   * user who has signed in at a provider and gives the second factor now.
   */
  signIn(
    sent: BrowserSignIn,
    visitor: Visitor,
    earlier: string | undefined,
    ticket: string | undefined,
  ): Promise<BrowserSession>;
  /** Signs in the user that the provider identifies. Returns a ticket if the second factor is still missing. */
  openid(
    claims: OpenidClaims,
    remember: boolean,
    visitor: Visitor,
    earlier: string | undefined,
  ): Promise<BrowserSession | { problem: OpenidProblem } | { ticket: string; ways: readonly string[] }>;
  /** A new token for a tab; undefined where the session has ended. */
  trade(secret: string, visitor: Visitor): Promise<BrowserSession | undefined>;
  end(secret: string, visitor: Visitor): Promise<void>;
  /** What the browser needs to ask for a passkey. */
  passkeyOptions(visitor: Visitor): Promise<object>;
}
