import { readFileSync } from 'node:fs';
import { historyForgetter } from '../domain/history/forget-history.ts';
import { installationLease, installationText } from '../domain/schema/installation-lease.ts';
import type { Store } from '../domain/schema/tables.ts';
import { watchGrowth } from '../domain/service/growth.ts';
import { readiness } from '../domain/service/health.ts';
import { VERSION } from '../domain/service/info.ts';
import { type CertificateSource, validityProblem } from '../edge/http/certificate-files.ts';
import { UntrustedProxies } from '../edge/http/trust-proxy.ts';
import type { AcmeCertificate } from '../edge/integrations/acme-certificate.ts';
import { timeNow } from '../platform/clock.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Log } from '../platform/log.ts';
import type { Vault } from '../platform/vault.ts';
import type { AppBase } from './base.ts';
import { certificateSourceOf, keptHistoryOf } from './from-settings.ts';
import type { NodeParts } from './node.ts';
import type { Outlets, Processing } from './processing.ts';
import type { Settings } from './settings.ts';

const DRAINED = Promise.resolve({ isReady: false, reasons: ['The node is drained.'] });

export type Certificates = Awaited<ReturnType<typeof openCertificates>>;
export type Watched = ReturnType<typeof watch>;

/** How the server proves who it is; without a certificate it serves plain HTTP. */
export async function openCertificates({ settings, store, vault, log }: AppBase) {
  const acme = await acmeOf(settings, store, vault, log);
  const certificate: CertificateSource | undefined = acme?.source ?? certificateSourceOf(settings, log);
  return { acme, certificate };
}

/** What operators see of the server. */
export function watch(
  { store, settings, log }: AppBase,
  {
    live,
    egress,
    clocks,
    received,
    engine,
    node,
    draining,
    acme,
    certificate,
  }: Outlets & Processing & NodeParts & Certificates,
) {
  const isReady = readiness(store);
  const growth = watchGrowth(store, log);
  const forgetter = historyForgetter(store, { kept: keptHistoryOf(settings), log, owned: clocks });
  const proxies = new UntrustedProxies(settings.trustProxy, log);
  const { updatesUrl } = settings;
  const vitals = {
    ...received,
    ...(updatesUrl !== '' && { newerVersion: newerVersion({ url: updatesUrl, egress, log }) }),
    untrustedProxy: proxies.address,
    certificateProblem(now: number) {
      const used = certificate?.();
      return acme?.problem() ?? (used && validityProblem(used, now));
    },
    owned: clocks,
    lagMs: node.lagMs,
    startedAt: timeNow(),
    streams: live.count,
    forgetting: () => forgetter.progress(),
    growth: () => growth.growth(),
    clockOffsetMs: () => engine.clockOffsetMs(),
    clockDoubtS: () => Math.round(Math.abs(engine.clockOffsetMs() ?? 0) / 1000),
    ready: () => (draining.isDraining() ? DRAINED : isReady()),
  };
  return { growth, forgetter, proxies, vitals };
}

/** The certificate of the domain in the settings; undefined if there is none. */
async function acmeOf(settings: Settings, store: Store, vault: Vault, log: Log): Promise<AcmeCertificate | undefined> {
  const { domain, acmeEmail: email, acmeDirectory: directory, acmeRoots, redirectPort } = settings;
  if (domain === '') return undefined;
  // Loaded on demand, because most servers do not need it.
  const { ACME_LEASE_MS, AcmeCertificate } = await import('../edge/integrations/acme-certificate.ts');
  const encrypted = (name: string) => {
    const stored = installationText(store, name);
    const context = `settings:${name}`;
    return {
      async load() {
        const text = await stored.load();
        // Discarded with a lost key, it is empty.
        return text ? vault.open(text, context) : undefined;
      },
      save: (value: string) => stored.save(vault.seal(value, context)),
    };
  };
  const storage = {
    account: encrypted('acmeAccount'),
    certificate: encrypted('acmeCertificate'),
    state: installationText(store, 'acmeState'),
    challenge: installationText(store, 'acmeChallenge'),
    lease: installationLease(store, 'acme', ACME_LEASE_MS),
  };
  const roots = acmeRoots === '' ? '' : readFileSync(acmeRoots, 'utf8');
  const challenge = redirectPort >= 0 ? 'http-01' : 'tls-alpn-01';
  return new AcmeCertificate({ domain, email, challenge, directory, roots, storage, log }).open();
}

/** A failure is repeated after this time too: the notice is not urgent. */
const ASK_MS = 86_400_000;
const DEADLINE_MS = 8000;
const MAX_BYTES = 256 * 1024;
const VERSION_FORM = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

interface UpdatesOptions {
  /** Address of a JSON document with the field `version`. */
  readonly url: string;
  readonly egress: Pick<Egress, 'get'>;
  readonly log: Log;
}

/**
 * The newest version, if it is newer than this one. The address of the operator is asked at most once a day, and only
 * when the health page is open: the first answer is always none.
 */
export function newerVersion({ url, egress, log }: UpdatesOptions): (now: number) => string | null {
  let askedAt = Number.NEGATIVE_INFINITY;
  let newest: string | null = null;
  const ask = async () => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const headers = { accept: 'application/json', 'user-agent': `Trackway/${VERSION}` };
    const { status, text } = await egress.get({ url, headers, deadlineMs: DEADLINE_MS, signal, maxBytes: MAX_BYTES });
    if (status !== 200) throw new Error(`The update server responded with status ${status}`);
    const { version } = JSON.parse(text) as { version?: unknown };
    const numbers = VERSION_FORM.exec(String(version));
    if (numbers === null) throw new Error('The response of the update server contains no version like 1.2.3');
    newest = numbers.slice(1).join('.');
  };
  return (now) => {
    if (now - askedAt >= ASK_MS) {
      askedAt = now;
      ask().catch((error) => log.warn({ error }, 'Could not check for a newer version'));
    }
    return newest !== null && isNewer(newest, VERSION) ? newest : null;
  };
}

export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((one) => one.split(/[.-]/).map(Number));
  const different = [0, 1, 2].find((part) => a![part] !== b![part]);
  return different !== undefined && a![different]! > b![different]!;
}
