import type { SecureContext, TLSSocket, TlsOptions } from 'node:tls';

/** The protocol that a certificate authority offers when it checks a domain by TLS-ALPN-01 (RFC 8737). */
export const ACME_TLS = 'acme-tls/1';
export const HTTP_PROTOCOLS = ['h2', 'http/1.1'];

/** The certificate that answers the challenge in progress; undefined if there is none for this name. */
export type ChallengeContext = (name: string) => Promise<SecureContext | undefined>;

/** Options of a TLS server that answers challenges besides serving its usual connections. */
export function answeringChallenges(contextOf: ChallengeContext): TlsOptions {
  // TLS 1.3 chooses the protocol before the certificate, so that both callbacks see the same connection in this order.
  const challenged = new WeakSet<TLSSocket>();
  return {
    ALPNCallback(this: TLSSocket, { protocols }) {
      if (!protocols.includes(ACME_TLS)) return HTTP_PROTOCOLS.find((one) => protocols.includes(one));
      challenged.add(this);
      return ACME_TLS;
    },
    SNICallback(this: TLSSocket, name, done) {
      if (!challenged.has(this)) return done(null);
      contextOf(name).then((context) => done(context ? null : new Error('No challenge is in progress'), context), done);
    },
  };
}
