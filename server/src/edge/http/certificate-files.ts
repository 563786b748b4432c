import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';

/** Paths of a certificate with its chain and of its key, as PEM. One file may have both. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly context: SecureContext;
  readonly validFrom: number;
  readonly validUntil: number;
}

/** The certificate to use for a new connection: the same object until another one takes its place. */
export type CertificateSource = () => Certificate | undefined;

const CHECK_MS = 1000;
const DAY_MS = 86_400_000;
/** Certificates are renewed earlier, certificates of six days included. */
const SOON_MS = 2 * DAY_MS;

/** Throws a sentence for the operator if the certificate and the key cannot be used together. */
export function certificateOf(cert: string, key: string, names: CertificateFiles): Certificate {
  let leaf: X509Certificate;
  let privateKey: KeyObject;
  try {
    leaf = new X509Certificate(cert);
  } catch (error) {
    throw new Error(`${names.cert} has no certificate in PEM format`, { cause: error });
  }
  try {
    privateKey = createPrivateKey(key);
  } catch (error) {
    throw new Error(`${names.key} has no private key in PEM format that can be read without a password`, {
      cause: error,
    });
  }
  if (!leaf.checkPrivateKey(privateKey))
    throw new Error(`the key in ${names.key} does not belong to the certificate in ${names.cert}`);
  const { validFromDate, validToDate } = leaf;
  const [validFrom, validUntil] = [validFromDate.getTime(), validToDate.getTime()];
  return { cert, key, context: createSecureContext({ cert, key }), validFrom, validUntil };
}

export const readCertificate = ({ cert, key }: CertificateFiles): Certificate =>
  certificateOf(readFileSync(cert, 'utf8'), readFileSync(key, 'utf8'), { cert, key });

/** What is wrong with the validity period of a certificate. The server uses it all the same. */
export function validityProblem(
  { validFrom, validUntil }: Pick<Certificate, 'validFrom' | 'validUntil'>,
  now: number,
): { readonly isWarning: boolean; readonly sentence: string } | undefined {
  const shown = (time: number) => new Date(time).toISOString().slice(0, 16).replace('T', ' ');
  if (now >= validUntil)
    return { isWarning: false, sentence: `The TLS certificate expired at ${shown(validUntil)} UTC. Renew it.` };
  if (now < validFrom)
    return { isWarning: false, sentence: `The TLS certificate is not valid before ${shown(validFrom)} UTC.` };
  if (now > validUntil - SOON_MS)
    return { isWarning: true, sentence: `The TLS certificate expires at ${shown(validUntil)} UTC. Renew it.` };
  return undefined;
}

/**
 * Reads a certificate, and again once its files have changed. The first read throws if it fails. Later the old
 * certificate stays until both files are right, because they are replaced one by one.
 */
export function certificateReader(files: CertificateFiles, log: Log): () => Certificate {
  const { cert, key } = files;
  let checkedAt = performance.now();
  const stampOf = () => [cert, key].map((file) => statSync(file).mtimeMs).join(' ');
  let stamp = stampOf();
  let current = readCertificate(files);
  logValidity(current, log);
  return () => {
    const now = performance.now();
    if (now - checkedAt < CHECK_MS) return current;
    checkedAt = now;
    try {
      const changed = stampOf();
      if (changed === stamp) return current;
      current = readCertificate(files);
      stamp = changed;
      log.info({ file: cert }, 'The certificate was renewed');
      logValidity(current, log);
    } catch (error) {
      log.warn({ error, file: cert }, 'The new certificate could not be read; the old one is used');
    }
    return current;
  };
}

function logValidity(certificate: Certificate, log: Log): void {
  const problem = validityProblem(certificate, timeNow());
  if (problem) log[problem.isWarning ? 'warn' : 'error']({}, problem.sentence);
}
