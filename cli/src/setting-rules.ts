import { MIN_PASSWORD } from '@trackway/contract/user.ts';
import { emailOf } from '@trackway/server/domain/users/accounts.ts';
import { environmentName } from '@trackway/server/platform/settings.ts';
import type { Settings } from '@trackway/server/settings.ts';
import type { SettingName } from './setting-flags.ts';

/** What the settings must be together and beyond their type; each problem is a sentence. */
export function problemsOf(settings: Settings): string[] {
  return [...adminProblems(settings), ...addressProblems(settings), ...outgoingProblems(settings)];
}

const called = (name: SettingName) => environmentName(name);

function adminProblems({ adminEmail, adminPassword }: Settings): string[] {
  const problems: string[] = [];
  if (adminEmail && !adminPassword)
    problems.push(`${called('adminEmail')} needs ${called('adminPassword')} beside it: without it no admin is made.`);
  if (adminPassword && !adminEmail)
    problems.push(`${called('adminPassword')} needs ${called('adminEmail')} beside it: without it no admin is made.`);
  if (adminEmail && !isEmail(adminEmail))
    problems.push(`${called('adminEmail')} must be an e-mail address, not ${JSON.stringify(adminEmail)}.`);
  if (adminPassword && adminPassword.length < MIN_PASSWORD)
    problems.push(`${called('adminPassword')} must have at least ${MIN_PASSWORD} characters.`);
  return problems;
}

function isEmail(text: string): boolean {
  try {
    return emailOf(text) !== '';
  } catch {
    return false;
  }
}

function addressProblems({ databaseUrl, publicUrl, data }: Settings): string[] {
  const problems: string[] = [];
  // The address may hold a password, so it is not repeated.
  if (databaseUrl && !isAddress(databaseUrl, ['postgres:', 'postgresql:']))
    problems.push(`${called('databaseUrl')} must be an address like postgres://user:password@host:5432/database.`);
  if (publicUrl && !isAddress(publicUrl, ['http:', 'https:']))
    problems.push(
      `${called('publicUrl')} must be an address like https://track.example.com, not ${JSON.stringify(publicUrl)}.`,
    );
  if (!databaseUrl && data.trim() === '') problems.push(`${called('data')} must name a folder.`);
  return problems;
}

/** Addresses of the servers by which things leave; those that may hold a password are not repeated. */
function outgoingProblems({ smtpUrl, smtpFrom, mqttUrl, sqsEndpoint }: Settings): string[] {
  const problems: string[] = [];
  if (smtpUrl && !isAddress(smtpUrl, ['smtp:', 'smtps:']))
    problems.push(`${called('smtpUrl')} must be an address like smtp://user:password@mail.example.com:587.`);
  if (smtpFrom && !/^[^<>@\r\n]*<?[^\s<>@]+@[^\s<>@]+>?$/.test(smtpFrom))
    problems.push(
      `${called('smtpFrom')} must be a sender like Trackway <track@example.com>, not ${JSON.stringify(smtpFrom)}.`,
    );
  if (mqttUrl && !isAddress(mqttUrl, ['mqtt:', 'mqtts:', 'ws:', 'wss:']))
    problems.push(`${called('mqttUrl')} must be an address like mqtt://user:password@broker.example.com:1883.`);
  if (sqsEndpoint && !isAddress(sqsEndpoint, ['http:', 'https:']))
    problems.push(`${called('sqsEndpoint')} must be an address like http://localhost:9324.`);
  return problems;
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  try {
    // A stray percent sign would break whoever decodes a part of it later.
    decodeURIComponent(text);
    return protocols.includes(new URL(text).protocol);
  } catch {
    return false;
  }
}
