import { readFileSync } from 'node:fs';
import { installationLease, installationText } from '../domain/schema/installation-lease.ts';
import type { Store } from '../domain/schema/tables.ts';
import type { AcmeCertificate } from '../edge/integrations/acme-certificate.ts';
import type { Log } from '../platform/log.ts';
import type { Vault } from '../platform/vault.ts';
import type { Settings } from './settings.ts';

/** The certificate of the domain in the settings; undefined if there is none. */
export async function acmeOf(
  settings: Settings,
  store: Store,
  vault: Vault,
  log: Log,
): Promise<AcmeCertificate | undefined> {
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
