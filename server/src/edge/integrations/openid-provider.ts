import type { Configuration } from 'openid-client';
import { timeNow } from '../../platform/clock.ts';
import type { OpenidClaims } from '../../sign-in.ts';

interface OpenidOptions {
  /** Empty if OpenID Connect is not configured. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Values to store between the start and the end of a sign-in. */
export interface OpenidFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface OpenidProvider {
  /** The address to send the browser to, and the values to store until it returns. */
  start(redirectUri: string): Promise<{ url: string; flow: OpenidFlow }>;
  /** The claims about the signed-in user. `url` is the address of the callback. */
  finish(url: URL, flow: OpenidFlow): Promise<OpenidClaims>;
}

/** Loaded with the first sign-in: most servers have no provider. */
const library = () => import('openid-client');
const TIMEOUT_S = 10;
/** Metadata and keys of the provider may change, so they are loaded again after this time. */
const KNOWN_MS = 3_600_000;

/** An OpenID Connect provider: the authorization code flow with PKCE, state and nonce. */
export function openidProvider({ issuer, clientId, clientSecret }: OpenidOptions): OpenidProvider {
  let known: { readonly config: Configuration; readonly at: number } | undefined;

  async function configuration(): Promise<Configuration> {
    if (known && timeNow() - known.at < KNOWN_MS) return known.config;
    const openid = await library();
    const server = new URL(issuer);
    // Plain http is allowed only for a local provider; the settings reject any other.
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
      const [openid, config] = [await library(), await configuration()];
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
      const [openid, config] = [await library(), await configuration()];
      const tokens = await openid.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers return the e-mail address only from the userinfo endpoint.
      const asked =
        claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
          ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
          : {};
      const all: Record<string, unknown> = { ...asked, ...claims };
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textOf(all.email),
        // Some providers send a string instead of a boolean.
        isVerified: all.email_verified === true || all.email_verified === 'true',
        name: textOf(all.name),
        usedSecondFactor: Array.isArray(claims.amr) && claims.amr.includes('mfa'),
      };
    },
  };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
