import * as openid from 'openid-client';
import { timeNow } from '../../platform/clock.ts';
import type { OpenidClaims } from '../../sign-in.ts';

export interface OpenidOptions {
  /** Empty if nobody signs in by OpenID Connect. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What has to be remembered between the two halves of a sign-in. */
export interface OpenidFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OpenidProvider {
  /** Where the browser goes, and what has to be remembered until it comes back. */
  start(redirectUri: string): Promise<{ url: string; flow: OpenidFlow }>;
  /** Who the provider says has signed in. `url` is the address at which the browser came back. */
  finish(url: URL, flow: OpenidFlow): Promise<OpenidClaims>;
}

const TIMEOUT_S = 10;
/** Metadata and keys of the provider may change. */
const KNOWN_MS = 3_600_000;

/** A provider of OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export function openidProvider({ issuer, clientId, clientSecret }: OpenidOptions): OpenidProvider {
  let known: { readonly config: openid.Configuration; readonly at: number } | undefined;

  async function configuration(): Promise<openid.Configuration> {
    if (known && timeNow() - known.at < KNOWN_MS) return known.config;
    const server = new URL(issuer);
    // Plain http is for a provider on this machine alone; the settings refuse any other.
    const execute = server.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
    const config = await openid.discovery(server, clientId, clientSecret || undefined, undefined, {
      execute,
      timeout: TIMEOUT_S,
    });
    known = { config, at: timeNow() };
    return config;
  }

  return {
    async start(redirectUri) {
      const config = await configuration();
      const flow = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      };
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await openid.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { url: url.href, flow };
    },

    async finish(url, { state, nonce, verifier }) {
      const config = await configuration();
      const tokens = await openid.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers tell the address only when they are asked for it.
      const asked =
        claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
          ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
          : {};
      const all: Record<string, unknown> = { ...asked, ...claims };
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textOf(all.email),
        // Some providers send the word instead of the value.
        isVerified: all.email_verified === true || all.email_verified === 'true',
        name: textOf(all.name),
        usedSecondFactor: Array.isArray(claims.amr) && claims.amr.includes('mfa'),
      };
    },
  };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
