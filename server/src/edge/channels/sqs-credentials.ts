import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const NO_CREDENTIALS =
  'Queue forwarding is not configured: the server has no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give it a profile or a role.';

const HINTS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/**
 * Whether somebody set up credentials here, as far as can be seen without a request: a role of the machine itself
 * shows only when it is used.
 */
export function hasCredentials(environment: Record<string, string | undefined> = process.env): boolean {
  const file = environment.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials');
  return HINTS.some((name) => Boolean(environment[name])) || existsSync(file);
}
