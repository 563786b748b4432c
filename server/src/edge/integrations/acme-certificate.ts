import { randomInt } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type Certificate, type CertificateSource, certificateOf } from '../http/certificate-files.ts';
import { type AcmeChallenge, AcmeClient, newAccountKey } from './acme-client.ts';
import { certificateId, certificateRequest, challengeCertificate } from './certificate-request.ts';

interface Text {
  load(): Promise<string | undefined>;
  save(value: string): Promise<void>;
}

/** What all nodes of an installation share. */
export interface AcmeStorage {
  /** Encrypted: the key of the account, and the certificate with its key. */
  readonly account: Text;
  readonly certificate: Text;
  readonly state: Text;
  /** The challenge in progress; any node answers it. */
  readonly challenge: Text;
  readonly lease: { hold(now: number): Promise<boolean>; release(): Promise<void> };
}

interface AcmeOptions {
  readonly domain: string;
  readonly email: string;
  readonly challenge: AcmeChallenge;
  readonly directory: string;
  readonly roots: string;
  readonly storage: AcmeStorage;
  readonly log: Log;
}

/** When something is due, in epoch milliseconds. */
interface State {
  readonly renewAt: number;
  /** When to ask the authority again for the time of the renewal. */
  readonly askAt: number;
  readonly failures: number;
  readonly retryAt: number;
  readonly problem: string;
}

interface StoredCertificate {
  readonly domain: string;
  readonly cert: string;
  readonly key: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const POLL_MS = 5000;
const ASK_MS = 6 * HOUR_MS;
/** Let's Encrypt allows five failed validations an hour. */
const FIRST_RETRY_MS = 5 * MINUTE_MS;
const LAST_RETRY_MS = 12 * HOUR_MS;
/** Without other information a certificate is renewed after this part of its time. */
const USED_PART = 2 / 3;
/** How long another node waits for one that died while it obtained a certificate. */
export const ACME_LEASE_MS = 5 * MINUTE_MS;
const OBTAIN_MS = 4 * MINUTE_MS;

const NEW: State = { renewAt: 0, askAt: 0, failures: 0, retryAt: 0, problem: '' };

/** How long to wait after this many failures in a row. */
export const retryAfterMs = (failures: number) => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));

/** The certificate of a domain, obtained and renewed by ACME. One node does that; all use the result. */
export class AcmeCertificate {
  readonly #options: AcmeOptions;
  readonly #stopping = new AbortController();
  #used: { readonly text: string; readonly domain: string; readonly certificate: Certificate } | undefined;
  #state = NEW;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: AcmeOptions) {
    this.#options = options;
  }

  readonly source: CertificateSource = () => this.#used?.certificate;

  /** Reads the stored certificate. */
  async open(): Promise<this> {
    await this.#follow();
    const latest = timeNow() + FIRST_RETRY_MS;
    // The operator may have solved the problem before this start.
    if (this.#state.retryAt > latest) await this.#save({ ...this.#state, failures: 1, retryAt: latest });
    return this;
  }

  /** Obtains the certificate and renews it from now on. Challenges must be answered by then. */
  start(): void {
    const turn = () => {
      this.#running = this.#check()
        .catch((error) => this.#options.log.error({ error }, 'The TLS certificate was not checked'))
        .finally(() => {
          if (!this.#stopping.signal.aborted) this.#timer = setTimeout(turn, POLL_MS).unref();
        });
    };
    turn();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** The answer to an HTTP-01 challenge; undefined for an unknown one. */
  async challengeAnswer(token: string): Promise<string | undefined> {
    const answer = await this.#options.storage.challenge.load();
    return answer?.startsWith(`${token}.`) ? answer : undefined;
  }

  /** The answer to a TLS-ALPN-01 challenge; undefined if none is in progress for the domain. */
  async challengeContext(domain: string): Promise<SecureContext | undefined> {
    const answer = await this.#options.storage.challenge.load();
    if (!answer || domain.toLowerCase() !== this.#options.domain.toLowerCase()) return undefined;
    return createSecureContext(challengeCertificate(this.#options.domain, answer));
  }

  /** Why there is no certificate, or why it was not renewed. */
  problem(): { readonly isWarning: boolean; readonly sentence: string } | undefined {
    const { problem, retryAt } = this.#state;
    const { domain } = this.#options;
    if (problem === '')
      return this.#used
        ? undefined
        : { isWarning: false, sentence: `The TLS certificate of ${domain} was not issued yet.` };
    const next = `The next attempt is at ${new Date(retryAt).toISOString().slice(11, 16)} UTC.`;
    const failed = this.#used ? 'could not be renewed' : 'could not be obtained';
    return {
      isWarning: this.#used !== undefined,
      sentence: `The TLS certificate of ${domain} ${failed}. ${problem.replace(/\.?$/, '.')} ${next}`,
    };
  }

  async #check(): Promise<void> {
    await this.#follow();
    const now = timeNow();
    const isDue = this.#used?.domain !== this.#options.domain || now >= this.#state.renewAt;
    const isToDo = isDue ? now >= this.#state.retryAt : now >= this.#state.askAt;
    const { lease } = this.#options.storage;
    if (!isToDo || !(await lease.hold(now))) return;
    try {
      // Another node may have done it since.
      const before = this.#state;
      await this.#follow();
      if (JSON.stringify(before) !== JSON.stringify(this.#state)) return;
      if (isDue) await this.#obtain();
      else await this.#askForWindow();
    } finally {
      await lease.release();
    }
  }

  async #follow(): Promise<void> {
    const { certificate, state } = this.#options.storage;
    this.#state = JSON.parse((await state.load()) ?? JSON.stringify(NEW)) as State;
    const text = await certificate.load();
    if (text === undefined || text === this.#used?.text) return;
    const { domain, cert, key } = JSON.parse(text) as StoredCertificate;
    const names = { cert: 'the database', key: 'the database' };
    this.#used = { text, domain, certificate: certificateOf(cert, key, names) };
  }

  async #save(state: State): Promise<void> {
    this.#state = state;
    await this.#options.storage.state.save(JSON.stringify(state));
  }

  async #obtain(): Promise<void> {
    const { domain, challenge, storage, log } = this.#options;
    try {
      const { key, csr } = certificateRequest(domain);
      const client = await this.#client();
      const replaces = this.#used?.domain === domain ? certificateId(this.#used.certificate.cert) : undefined;
      const cert = await client.obtain({
        domain,
        challenge,
        csr,
        replaces,
        publish: (_token, answer) => storage.challenge.save(answer),
      });
      const stored: StoredCertificate = { domain, cert, key };
      await storage.certificate.save(JSON.stringify(stored));
      await this.#follow();
      const { validFrom, validUntil } = this.#used!.certificate;
      await this.#save({ ...NEW, renewAt: validFrom + (validUntil - validFrom) * USED_PART });
      log.info({ domain, validUntil: new Date(validUntil).toISOString() }, 'A TLS certificate was obtained');
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const failures = this.#state.failures + 1;
      const retryAt = timeNow() + retryAfterMs(failures);
      await this.#save({ ...this.#state, failures, retryAt, problem: (error as Error).message });
      log.error({ error, domain, retryAt: new Date(retryAt).toISOString() }, 'No TLS certificate was obtained');
    } finally {
      await storage.challenge.save('');
    }
  }

  /** The authority may want a renewal earlier, for example because it must revoke certificates. */
  async #askForWindow(): Promise<void> {
    const askAt = timeNow() + ASK_MS;
    try {
      const id = certificateId(this.#used!.certificate.cert);
      const window = id === undefined ? undefined : await (await this.#client()).renewalWindow(id);
      if (window === undefined) return await this.#save({ ...this.#state, askAt });
      const { renewAt } = this.#state;
      const isInside = renewAt >= window.start && renewAt <= window.end;
      const lengthS = Math.max(1, Math.floor((window.end - window.start) / 1000));
      await this.#save({
        ...this.#state,
        askAt,
        renewAt: isInside ? renewAt : window.start + randomInt(lengthS) * 1000,
      });
    } catch (error) {
      this.#options.log.warn({ error }, 'The certificate authority provided no renewal time for the certificate');
      await this.#save({ ...this.#state, askAt });
    }
  }

  async #client(): Promise<AcmeClient> {
    const { directory, roots, email, storage } = this.#options;
    const stored = JSON.parse((await storage.account.load()) ?? '{}') as { directory?: string; key?: string };
    const key = stored.directory === directory && stored.key ? stored.key : newAccountKey();
    if (key !== stored.key) await storage.account.save(JSON.stringify({ directory, key }));
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(OBTAIN_MS)]);
    return new AcmeClient({ directory, roots, email, key, signal });
  }
}
