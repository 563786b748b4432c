import type { BrowserSignIn, TabToken } from '@trackway/contract/resources/browser-session.ts';

/** Where edge and domain meet when a browser signs in: the edge knows the cookie, the domain what it stands for. */

/** Where a request to sign in comes from. */
export interface Visitor {
  readonly address: string;
  /** The origin of the page that calls, or of this server as the caller addresses it. */
  readonly origin: string;
  readonly now: number;
}

export interface BrowserSession {
  readonly tab: TabToken;
  /** What the cookie holds. */
  readonly secret: string;
  /** Seconds that the browser keeps the cookie; absent if it forgets the cookie when it is closed. */
  readonly keptFor?: number;
}

export interface BrowserSessions {
  /** Refuses wrong credentials. `earlier` is the cookie that the browser had: that session ends. */
  signIn(sent: BrowserSignIn, visitor: Visitor, earlier: string | undefined): Promise<BrowserSession>;
  /** A new token for a tab; undefined where the session has ended. */
  trade(secret: string, visitor: Visitor): Promise<BrowserSession | undefined>;
  end(secret: string, visitor: Visitor): Promise<void>;
  /** What the browser needs to ask for a passkey. */
  passkeyOptions(visitor: Visitor): Promise<object>;
}
