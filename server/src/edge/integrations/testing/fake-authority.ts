import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, randomBytes, verify, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';

/** Ports of this machine where an authority of a test checks domains. */
export interface CheckedPorts {
  readonly httpPort: number;
  readonly tlsPort: number;
}

interface Order {
  readonly domain: string;
  readonly replaces: string | undefined;
  readonly thumbprint: string;
  readonly token: string;
  challenge: string | undefined;
  status: 'pending' | 'ready' | 'valid' | 'invalid';
  error: { detail: string } | undefined;
  certificate: string;
}

interface Reply {
  readonly status?: number;
  readonly location?: string;
  readonly body?: object | string;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
/** A critical extension (1.3.6.1.5.5.7.1.31) with an octet string of 32 bytes. */
const ACME_IDENTIFIER = Buffer.from('06082b0601050507011f0101ff04220420', 'hex');
const CHALLENGES = ['http-01', 'tls-alpn-01'];

class Refused extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = `urn:ietf:params:acme:error:${type}`;
  }
}

/**
 * A certificate authority in this process, for tests. It checks signatures, nonces and domains as RFC 8555, 8737 and 9773
 * say.
 *
 * @param folder where it keeps its files
 */
export async function startFakeAuthority(folder: string, ports: CheckedPorts) {
  const at = (name: string) => join(folder, name);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });
  const names = ['-subj', '/CN=Authority of a test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  openssl('req', '-x509', ...CURVE, ...names, '-days', '2', '-keyout', at('ca.key'), '-out', at('ca.pem'));
  const nonces = new Set<string>();
  const accounts = new Map<string, { readonly jwk: object; readonly thumbprint: string }>();
  let signed = 0;
  const authority = {
    directory: '',
    /** File with its certificate (PEM). */
    roots: at('ca.pem'),
    orders: [] as Order[],
    contacts: [] as string[],
    /** Whether it finds no domain. */
    isRefusing: false,
    /** When certificates should be renewed. */
    window: undefined as { start: string; end: string } | undefined,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const url = (path: string) => new URL(path, authority.directory).href;

  /** The account and the content of a signed request. */
  function open(path: string, body: string) {
    const { protected: head, payload, signature } = JSON.parse(body) as Record<string, string>;
    const { alg, nonce, url: target, jwk, kid } = JSON.parse(Buffer.from(head!, 'base64url').toString());
    // Some are refused although they are right, as a real authority may do.
    if (!nonces.delete(nonce) || ++signed % 4 === 1) throw new Refused('badNonce', 'The nonce is unknown');
    const account = jwk ? { jwk, thumbprint: thumbprintOf(jwk) } : accounts.get(kid);
    if (account === undefined) throw new Refused('accountDoesNotExist', 'The account is unknown');
    const key = createPublicKey({ key: account.jwk, format: 'jwk' });
    const bytes = Buffer.from(signature!, 'base64url');
    if (!verify('sha256', Buffer.from(`${head}.${payload}`), { key, dsaEncoding: 'ieee-p1363' }, bytes))
      throw new Refused('malformed', 'The signature is wrong');
    if (alg !== 'ES256' || target !== url(path)) throw new Refused('malformed', 'The header is wrong');
    return { ...account, content: payload ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined };
  }

  async function checkDomain({ domain, token, thumbprint }: Order, challenge: string): Promise<void> {
    const expected = `${token}.${thumbprint}`;
    if (authority.isRefusing) throw new Error(`No address was found for ${domain}`);
    if (challenge === 'http-01') {
      const options = { host: '127.0.0.1', port: ports.httpPort, headers: { host: domain }, agent: false };
      const [answer] = await once(get({ ...options, path: `/.well-known/acme-challenge/${token}` }), 'response');
      const found = await text(answer as IncomingMessage);
      if (found !== expected) throw new Error(`Found ${found.slice(0, 100)} instead of the answer`);
      return;
    }
    const options = { host: '127.0.0.1', port: ports.tlsPort, servername: domain, ALPNProtocols: ['acme-tls/1'] };
    const socket = connect({ ...options, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    const leaf = new X509Certificate(raw);
    const digest = createHash('sha256').update(expected).digest();
    if (socket.alpnProtocol !== 'acme-tls/1' || leaf.subjectAltName !== `DNS:${domain}` || !leaf.verify(leaf.publicKey))
      throw new Error('The certificate is not for this challenge');
    if (!raw.includes(Buffer.concat([ACME_IDENTIFIER, digest]))) throw new Error('The certificate has a wrong answer');
  }

  function issue(order: Order, csr: string): void {
    writeFileSync(at('csr'), Buffer.from(csr, 'base64url'));
    writeFileSync(at('extensions'), 'authorityKeyIdentifier=keyid\n');
    const ca = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-set_serial', `0xf0${randomBytes(8).toString('hex')}`];
    const extensions = ['-copy_extensions', 'copy', '-extfile', at('extensions')];
    openssl('x509', '-req', '-inform', 'DER', '-in', at('csr'), ...ca, ...extensions, '-days', '5', '-out', at('cert'));
    const certificate = readFileSync(at('cert'), 'utf8');
    if (new X509Certificate(certificate).subjectAltName !== `DNS:${order.domain}`)
      throw new Refused('badCSR', 'The request is for other names');
    Object.assign(order, { status: 'valid', certificate: certificate + readFileSync(at('ca.pem'), 'utf8') });
  }

  async function reply(path: string, body: string): Promise<Reply> {
    if (path === '/dir') {
      const [newNonce, newAccount, newOrder, renewalInfo] = ['/nonce', '/account', '/order', '/renewal'].map(url);
      return { body: { newNonce, newAccount, newOrder, renewalInfo } };
    }
    if (path === '/nonce') return {};
    if (path.startsWith('/renewal/')) return { body: { suggestedWindow: authority.window } };
    const { jwk, thumbprint, content } = open(path, body);
    if (path === '/account') {
      if (content.termsOfServiceAgreed !== true) throw new Refused('userActionRequired', 'Accept the terms');
      const location = url(`/account/${thumbprint}`);
      accounts.set(location, { jwk, thumbprint });
      authority.contacts = content.contact;
      return { status: 201, location, body: { status: 'valid' } };
    }
    if (path === '/order') {
      const { identifiers, replaces } = content;
      const token = randomBytes(16).toString('base64url');
      authority.orders.push({
        ...{ domain: identifiers[0].value, replaces, thumbprint, token, challenge: undefined },
        ...{ status: 'pending', error: undefined, certificate: '' },
      });
    }
    const [, kind, number = authority.orders.length - 1, challenge] = path.split('/');
    const order = authority.orders[Number(number)]!;
    if (kind === 'challenge') {
      order.challenge = challenge;
      await checkDomain(order, challenge!).then(
        () => Object.assign(order, { status: 'ready' }),
        ({ message: detail }: Error) => Object.assign(order, { status: 'invalid', error: { detail } }),
      );
      return { body: {} };
    }
    if (kind === 'cert') return { body: order.certificate };
    if (kind === 'finalize') issue(order, content.csr);
    if (kind === 'authz') {
      const status = order.status === 'ready' ? 'valid' : order.status;
      const challenges = CHALLENGES.map((type) => ({
        ...{ type, token: order.token, url: url(`/challenge/${number}/${type}`) },
        ...(type === order.challenge && { error: order.error }),
      }));
      return { body: { status, identifier: { type: 'dns', value: order.domain }, challenges } };
    }
    const [authorization, finalize, certificate] = ['authz', 'finalize', 'cert'].map((one) => url(`/${one}/${number}`));
    const known = { status: order.status, authorizations: [authorization], finalize, certificate };
    return { status: kind === 'order' ? 201 : 200, location: url(`/order/${number}`), body: known };
  }

  const server = createServer({ cert: readFileSync(at('ca.pem')), key: readFileSync(at('ca.key')) });
  server.on('request', async (request, response) => {
    const answer = await reply(request.url!, await text(request)).catch((error: Error): Reply => {
      const type = error instanceof Refused ? error.type : 'urn:ietf:params:acme:error:serverInternal';
      return { status: 400, body: { type, detail: error.message } };
    });
    const nonce = randomBytes(16).toString('base64url');
    nonces.add(nonce);
    const { status = 200, location, body = '' } = answer;
    response.writeHead(status, { 'replay-nonce': nonce, ...(location && { location }) });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  authority.directory = `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir`;
  return authority;
}

export type FakeAuthority = Awaited<ReturnType<typeof startFakeAuthority>>;

/** RFC 7638: the members in the order of the alphabet. */
function thumbprintOf({ crv, kty, x, y }: Record<string, string>): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}
