import type { BrowserSignIn, TabToken } from '@trackway/contract/resources/accounts/browser-session.ts';

/** Where edge and domain meet when a browser signs in: the edge knows the cookie, the domain what it stands for. */

/** Where a request to sign in comes from. */
export interface Visitor {
  readonly address: string;
  /** The origin of the page that calls, or of this server as the caller addresses it. */
  readonly origin: string;
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

/** What a provider of OpenID Connect says of whoever signed in there. */
export interface OpenidClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider has verified the address. */
  readonly isVerified: boolean;
  readonly name: string | undefined;
  readonly usedSecondFactor: boolean;
}

/** Why somebody who signed in at the provider may not sign in here; the console has a sentence for each. */
export type OpenidProblem = 'unverified' | 'domain' | 'unknown' | 'unconfirmed';

export interface BrowserSessions {
  /**
   * Refuses wrong credentials. `earlier` is the cookie that the browser had: that session ends. `ticket` stands for a
   * user who has signed in at a provider and gives the second factor now.
   */
  signIn(
    sent: BrowserSignIn,
    visitor: Visitor,
    earlier: string | undefined,
    ticket: string | undefined,
  ): Promise<BrowserSession>;
  /** Signs in whom the provider names; with a ticket if the second factor is still to be given. */
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
