import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

interface AcmeAccount {
  /** Address of the directory of the certificate authority. */
  readonly directory: string;
  /** Certificates (PEM) that prove its identity; empty to use the certificates of the system. */
  readonly roots: string;
  readonly email: string;
  /** The private key of the account (PEM). */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** How the authority checks a domain: at port 80 or at port 443. */
export type AcmeChallenge = 'http-01' | 'tls-alpn-01';

interface AcmeOrder {
  readonly domain: string;
  readonly challenge: AcmeChallenge;
  readonly csr: Buffer;
  /** Identifies the certificate that the new one replaces. */
  readonly replaces: string | undefined;
  /** Publishes the answer to a challenge, at `/.well-known/acme-challenge/TOKEN` or in a certificate. */
  publish(token: string, answer: string): Promise<void>;
}

interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly renewalInfo?: string;
}

interface Resource {
  readonly status: string;
  readonly identifier?: { readonly value: string };
  readonly authorizations?: readonly string[];
  readonly challenges?: readonly { type: string; url: string; token: string; error?: { detail?: string } }[];
  readonly finalize?: string;
  readonly certificate?: string;
  readonly error?: { readonly detail?: string };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const ANSWER_MS = 30_000;
const MOST_POLLS = 60;
const MOST_RETRIES = 10;
const POLL_MS = 1000;
const LONGEST_POLL_MS = 15_000;

export const newAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A client of the ACME protocol (RFC 8555) with renewal information (RFC 9773). */
export class AcmeClient {
  readonly #account: AcmeAccount;
  readonly #agent: Agent;
  readonly #key: KeyObject;
  readonly #jwk: { readonly crv: string; readonly kty: string; readonly x: string; readonly y: string };
  #directory: Directory | undefined;
  #accountUrl: string | undefined;
  #nonce: string | undefined;

  constructor(account: AcmeAccount) {
    this.#account = account;
    this.#agent = new Agent({ keepAlive: false, ...(account.roots !== '' && { ca: account.roots }) });
    this.#key = createPrivateKey(account.key);
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: 'jwk' });
    // In the order that the thumbprint needs.
    this.#jwk = { crv: crv!, kty: kty!, x: x!, y: y! };
  }

  /** Orders a certificate, proves that the domain is ours, and returns the certificate with its chain (PEM). */
  async obtain({ domain, challenge, csr, replaces, publish }: AcmeOrder): Promise<string> {
    const { newAccount, newOrder, renewalInfo } = await this.#directoryNow();
    const contact = [`mailto:${this.#account.email}`];
    const account = await this.#post(newAccount, { termsOfServiceAgreed: true, contact });
    this.#accountUrl = account.headers.location;
    const identifiers = [{ type: 'dns', value: domain }];
    const order = { identifiers, ...(replaces !== undefined && renewalInfo !== undefined && { replaces }) };
    // The certificate to replace may be that of another authority, or be replaced already.
    const ordered = await this.#post(newOrder, order).catch((error) => {
      if (replaces === undefined) throw error;
      return this.#post(newOrder, { identifiers });
    });
    const { authorizations = [], finalize } = JSON.parse(ordered.body) as Resource;
    for (const url of authorizations) await this.#authorize(url, challenge, publish);
    await this.#post(finalize!, { csr: csr.toString('base64url') });
    const { certificate } = await this.#poll(ordered.headers.location!, 'valid');
    return (await this.#post(certificate!, '')).body;
  }

  /** The renewal period that the authority suggests for a certificate; undefined if it does not say. */
  async renewalWindow(certificateId: string): Promise<{ start: number; end: number } | undefined> {
    const { renewalInfo } = await this.#directoryNow();
    if (renewalInfo === undefined) return undefined;
    const { status, body } = await this.#send('GET', `${renewalInfo}/${certificateId}`);
    if (status !== 200) return undefined;
    const { suggestedWindow } = JSON.parse(body) as { suggestedWindow?: { start: string; end: string } };
    const [start, end] = [Date.parse(suggestedWindow?.start ?? ''), Date.parse(suggestedWindow?.end ?? '')];
    return start <= end ? { start, end } : undefined;
  }

  async #authorize(url: string, kind: AcmeChallenge, publish: AcmeOrder['publish']): Promise<void> {
    const { status, challenges = [] } = JSON.parse((await this.#post(url, '')).body) as Resource;
    if (status === 'valid') return;
    const challenge = challenges.find(({ type }) => type === kind);
    if (challenge === undefined) throw new Error(`The certificate authority offers no challenge of the type ${kind}`);
    const thumbprint = createHash('sha256').update(JSON.stringify(this.#jwk)).digest('base64url');
    await publish(challenge.token, `${challenge.token}.${thumbprint}`);
    await this.#post(challenge.url, {});
    await this.#poll(url, 'valid');
  }

  async #poll(url: string, wanted: string): Promise<Resource> {
    for (let poll = 0; poll < MOST_POLLS; poll++) {
      const { headers, body } = await this.#post(url, '');
      const found = JSON.parse(body) as Resource;
      if (found.status === wanted) return found;
      if (!['pending', 'processing', 'ready'].includes(found.status)) {
        const problem = found.error ?? found.challenges?.find(({ error }) => error !== undefined)?.error;
        throw new Error(`The certificate authority answered: ${problem?.detail ?? found.status}`);
      }
      const waitMs = Number(headers['retry-after']) * 1000 || POLL_MS;
      await pause(Math.min(waitMs, LONGEST_POLL_MS), undefined, { signal: this.#account.signal });
    }
    throw new Error('The certificate authority took too long');
  }

  async #directoryNow(): Promise<Directory> {
    if (this.#directory === undefined) {
      const { status, body } = await this.#send('GET', this.#account.directory);
      if (status !== 200) throw new Error(`${this.#account.directory} answered with status ${status}`);
      this.#directory = JSON.parse(body) as Directory;
    }
    return this.#directory;
  }

  /** Sends a signed request. An empty text reads a resource. */
  async #post(url: string, payload: object | ''): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = undefined;
      const who = this.#accountUrl === undefined ? { jwk: this.#jwk } : { kid: this.#accountUrl };
      const head = encoded({ alg: 'ES256', nonce, url, ...who });
      const content = payload === '' ? '' : encoded(payload);
      const key = { key: this.#key, dsaEncoding: 'ieee-p1363' as const };
      const signature = sign('sha256', Buffer.from(`${head}.${content}`), key).toString('base64url');
      const answer = await this.#send('POST', url, JSON.stringify({ protected: head, payload: content, signature }));
      this.#nonce = answer.headers['replay-nonce'] as string | undefined;
      if (answer.status < 400) return answer;
      const { type = '', detail } = problemIn(answer.body);
      if (type.endsWith(':badNonce') && attempt < MOST_RETRIES) continue;
      throw new Error(`The certificate authority responded: ${detail ?? `status ${answer.status}`}`);
    }
  }

  async #newNonce(): Promise<string> {
    const { headers } = await this.#send('HEAD', (await this.#directoryNow()).newNonce);
    return headers['replay-nonce'] as string;
  }

  async #send(method: string, url: string, body?: string): Promise<Answer> {
    const signal = AbortSignal.any([this.#account.signal, AbortSignal.timeout(ANSWER_MS)]);
    const headers = {
      'user-agent': 'Trackway',
      ...(body !== undefined && { 'content-type': 'application/jose+json' }),
    };
    const sent = request(url, { method, agent: this.#agent, headers, signal });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
  }
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function problemIn(body: string): { readonly type?: string; readonly detail?: string } {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
