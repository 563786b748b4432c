import { existsSync } from 'node:fs';
import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { certificateFilesOf } from '@trackway/server/app/from-settings.ts';
import type { Settings } from '@trackway/server/app/settings.ts';
import { emailOf } from '@trackway/server/domain/users/accounts.ts';
import { readCertificate } from '@trackway/server/edge/http/certificate-files.ts';
import { environmentName } from '@trackway/server/platform/settings.ts';
import { addressesOf } from '@trackway/server/platform/storage/postgres/addresses.ts';

/** Checks rules of settings beyond their type. Each problem is a sentence. */
export function problemsOf(settings: Settings): string[] {
  return [
    ...adminProblems(settings),
    ...addressProblems(settings),
    ...certificateProblems(settings),
    ...acmeProblems(settings),
    ...outgoingProblems(settings),
  ];
}

const variable = (name: keyof Settings) => environmentName(name);

function adminProblems({ adminEmail, adminPassword }: Settings): string[] {
  const problems: string[] = [];
  if (adminEmail && !adminPassword)
    problems.push(`${variable('adminEmail')} requires ${variable('adminPassword')}: set both to create an admin.`);
  if (adminPassword && !adminEmail)
    problems.push(`${variable('adminPassword')} requires ${variable('adminEmail')}: set both to create an admin.`);
  if (adminEmail && !isEmail(adminEmail))
    problems.push(`${variable('adminEmail')} must be an e-mail address, not ${JSON.stringify(adminEmail)}.`);
  if (adminPassword && adminPassword.length < MIN_PASSWORD)
    problems.push(`${variable('adminPassword')} must have at least ${MIN_PASSWORD} characters.`);
  return problems;
}

function isEmail(text: string): boolean {
  try {
    return emailOf(text) !== '';
  } catch {
    return false;
  }
}

function addressProblems({ databaseUrl, databaseDirectUrl, publicUrl, data, processes }: Settings): string[] {
  const problems: string[] = [];
  if (!databaseUrl && Number(processes) > 1)
    problems.push(`${variable('processes')} needs PostgreSQL: set ${variable('databaseUrl')}, or use one process.`);
  // The URL may contain a password, so the message does not repeat it.
  for (const [name, setting] of Object.entries({ databaseUrl, databaseDirectUrl }))
    if (setting && !addressesOf(setting).every((address) => isUrl(address, ['postgres:', 'postgresql:'])))
      problems.push(
        `${variable(name as keyof Settings)} must be a URL like postgres://user:password@host:5432/database.`,
      );
  if (publicUrl && !isUrl(publicUrl, ['http:', 'https:']))
    problems.push(
      `${variable('publicUrl')} must be a URL like https://track.example.com, not ${JSON.stringify(publicUrl)}.`,
    );
  if (!databaseUrl && data.trim() === '') problems.push(`${variable('data')} must name a folder.`);
  return problems;
}

/** A certificate that cannot be used is reported before anything starts. */
function certificateProblems({ tlsCert, tlsKey, trackersCert, trackersKey, redirectPort, domain }: Settings): string[] {
  return [
    ...fileProblems('tlsCert', tlsCert, 'tlsKey', tlsKey),
    ...fileProblems('trackersCert', trackersCert, 'trackersKey', trackersKey),
    ...(redirectPort >= 0 && tlsCert === '' && domain === '' ? [requires('redirectPort', 'tlsCert')] : []),
  ];
}

function fileProblems(certName: keyof Settings, cert: string, keyName: keyof Settings, key: string): string[] {
  if (cert === '') return key === '' ? [] : [requires(keyName, certName)];
  try {
    readCertificate(certificateFilesOf(cert, key));
    return [];
  } catch (error) {
    return [`${variable(certName)} and ${variable(keyName)} cannot be used: ${(error as Error).message}.`];
  }
}

function acmeProblems({ domain, tlsCert, acmeEmail, acmeTerms, acmeRoots }: Settings): string[] {
  if (domain === '') return [];
  const problems: string[] = [];
  const needs = (sentence: string) => problems.push(`${variable('domain')} ${sentence}`);
  if (!/^(?!-)[a-z\d-]{1,63}(\.(?!-)[a-z\d-]{1,63})*$/i.test(domain) || /^[\d.]+$/.test(domain))
    needs(`must be a domain like track.example.com, not ${JSON.stringify(domain)}.`);
  if (tlsCert !== '') needs(`and ${variable('tlsCert')} exclude each other: set only one of them.`);
  if (!isEmail(acmeEmail)) needs(`requires ${variable('acmeEmail')}, your e-mail address.`);
  if (!acmeTerms) needs(`requires ${variable('acmeTerms')}=true: read and accept the terms of the authority.`);
  if (acmeRoots !== '' && !existsSync(acmeRoots)) problems.push(`${variable('acmeRoots')}: there is no such file.`);
  return problems;
}

const requires = (name: keyof Settings, other: keyof Settings) =>
  `${variable(name)} requires ${variable(other)}, the file of a certificate.`;

/** Checks the servers for outgoing messages. URLs that may contain a password are not repeated in the message. */
function outgoingProblems({ smtpUrl, smtpFrom, mqttUrl, sqsEndpoint }: Settings): string[] {
  const problems: string[] = [];
  if (smtpUrl && !isUrl(smtpUrl, ['smtp:', 'smtps:']))
    problems.push(`${variable('smtpUrl')} must be a URL like smtp://user:password@mail.example.com:587.`);
  if (smtpFrom && !/^[^<>@\r\n]*<?[^\s<>@]+@[^\s<>@]+>?$/.test(smtpFrom))
    problems.push(
      `${variable('smtpFrom')} must be a sender like Trackway <track@example.com>, not ${JSON.stringify(smtpFrom)}.`,
    );
  if (mqttUrl && !isUrl(mqttUrl, ['mqtt:', 'mqtts:', 'ws:', 'wss:']))
    problems.push(`${variable('mqttUrl')} must be a URL like mqtt://user:password@broker.example.com:1883.`);
  if (sqsEndpoint && !isUrl(sqsEndpoint, ['http:', 'https:']))
    problems.push(`${variable('sqsEndpoint')} must be a URL like http://localhost:9324.`);
  return problems;
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  try {
    // An invalid percent sign would fail later, when a part of the URL is decoded.
    decodeURIComponent(text);
    return protocols.includes(new URL(text).protocol);
  } catch {
    return false;
  }
}
