import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { timeNow } from '../../platform/clock.ts';

/** The few values of ASN.1 (DER) that requests and certificates consist of. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
  version: 0xa0,
  extensions: 0xa3,
  dns: 0x82,
};
const EXTENSION_REQUEST = Buffer.from('2a864886f70d01090e', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('551d11', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const ACME_IDENTIFIER = Buffer.from('2b0601050507011f', 'hex');
const DAY_MS = 86_400_000;
const AUTHORITY_KEY_IDENTIFIER = Buffer.from('0603551d23', 'hex');

function der(kind: keyof typeof TAG, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(TAG[kind], ...size), content]);
}

/** Makes a key (PEM) and the request (PKCS #10) for a certificate of a domain. */
export function certificateRequest(domain: string): { readonly key: string; readonly csr: Buffer } {
  const { privateKey, spki, key } = newKey();
  const attribute = der('sequence', der('oid', EXTENSION_REQUEST), der('set', der('sequence', nameOf(domain))));
  const version = der('integer', Buffer.of(0));
  const subject = der('sequence');
  const content = der('sequence', version, subject, spki, der('attributes', attribute));
  return { key, csr: signed(content, privateKey) };
}

/** Makes the certificate (PEM) that proves the control of a domain by TLS-ALPN-01 (RFC 8737), signed by itself. */
export function challengeCertificate(domain: string, answer: string): { readonly cert: string; readonly key: string } {
  const { privateKey, spki, key } = newKey();
  const digest = der('octets', createHash('sha256').update(answer).digest());
  const isCritical = der('boolean', Buffer.of(0xff));
  const identifier = der('sequence', der('oid', ACME_IDENTIFIER), isCritical, der('octets', digest));
  const version = der('version', der('integer', Buffer.of(2)));
  const serial = der('integer', Buffer.of(1, ...randomBytes(8)));
  const validity = der('sequence', utcTime(timeNow() - DAY_MS), utcTime(timeNow() + DAY_MS));
  const [issuer, subject] = [der('sequence'), der('sequence')];
  const extensions = der('extensions', der('sequence', nameOf(domain), identifier));
  const content = der('sequence', version, serial, SIGNED_BY, issuer, validity, subject, spki, extensions);
  const lines = signed(content, privateKey).toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return { key, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }), key };
}

const SIGNED_BY = der('sequence', der('oid', ECDSA_WITH_SHA256));

const signed = (content: Buffer, key: KeyObject) =>
  der('sequence', content, SIGNED_BY, der('bits', Buffer.of(0), sign('sha256', content, key)));

function nameOf(domain: string): Buffer {
  const names = der('sequence', der('dns', Buffer.from(domain)));
  return der('sequence', der('oid', SUBJECT_ALT_NAME), der('octets', names));
}

const utcTime = (time: number) =>
  der('utcTime', Buffer.from(`${new Date(time).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

/**
 * How renewal information names a certificate: by the key of its issuer and its serial number (RFC 9773). Undefined if
 * the certificate does not say the key.
 */
export function certificateId(pem: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(pem);
  const at = raw.indexOf(AUTHORITY_KEY_IDENTIFIER);
  // An octet string with a sequence, whose first element [0] is the key identifier; all are short.
  const value = raw.subarray(at + AUTHORITY_KEY_IDENTIFIER.length);
  if (at === -1 || value[0] !== TAG.octets || value[2] !== TAG.sequence || value[4] !== 0x80) return undefined;
  const keyId = value.subarray(6, 6 + value[5]!);
  const serial = Buffer.from(serialNumber, 'hex');
  // A positive number of ASN.1 does not begin with a set bit.
  const number = serial[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial;
  return `${keyId.toString('base64url')}.${number.toString('base64url')}`;
}
