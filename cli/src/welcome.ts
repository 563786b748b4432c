import type { Settings } from '@trackway/server/app/settings.ts';
import { dataLocation } from './data-location.ts';

export interface Started {
  readonly address: string;
  /** The port for trackers of all protocols; undefined if disabled. */
  readonly trackersPort: number | undefined;
  readonly setupToken: string | undefined;
  /** Whether the admin from the settings was created at this start. */
  readonly adminMade: boolean;
}

/** The message after a start: the URL, where the data is stored, how to sign in, and how to stop. */
export function welcome({ address, trackersPort, setupToken, adminMade }: Started, settings: Settings): string {
  const reached = settings.publicUrl.replace(/\/+$/, '') || address;
  const lines: [string, string][] = [
    ...(reached === address ? [] : ([['Public', reached]] as [string, string][])),
    ['API docs', `${reached}/docs`],
    ...(trackersPort === undefined ? [] : ([['Trackers', `port ${trackersPort}, TCP and UDP`]] as [string, string][])),
    ['Data', dataLocation(settings)],
    ['Sign in', signIn(reached, setupToken, adminMade ? settings.adminEmail : undefined)],
    ['Stop', 'Ctrl+C'],
  ];
  return [`Trackway is running at ${address}`, ...lines.map(([name, text]) => `  ${name.padEnd(9)}  ${text}`)].join(
    '\n',
  );
}

function signIn(reached: string, setupToken: string | undefined, adminMade: string | undefined): string {
  if (setupToken !== undefined) return `Create the first admin with this one-time link: ${reached}/setup#${setupToken}`;
  if (adminMade !== undefined) return `As the new admin ${adminMade}, with the password from TRACKWAY_ADMIN_PASSWORD`;
  return 'With your account. To list the accounts, run "trackway user list"';
}
