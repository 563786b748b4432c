import { MIN_PASSWORD } from '@trackway/contract/resources/accounts/user.ts';
import { emailOf } from '@trackway/server/domain/users/accounts.ts';
import { environmentName } from '@trackway/server/platform/settings.ts';
import { addressesOf } from '@trackway/server/platform/storage/postgres/addresses.ts';
import type { Settings } from '@trackway/server/settings.ts';

/** Checks rules of settings beyond their type. Each problem is a sentence. */
export function problemsOf(settings: Settings): string[] {
  return [...adminProblems(settings), ...addressProblems(settings), ...outgoingProblems(settings)];
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

function addressProblems({ databaseUrl, databaseDirectUrl, publicUrl, data }: Settings): string[] {
  const problems: string[] = [];
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
