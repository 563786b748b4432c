import type { Settings } from '@trackway/server/settings.ts';
import { dataPlace } from './data-place.ts';

export interface Started {
  readonly address: string;
  readonly setupToken: string | undefined;
  /** Whether the admin of the settings was made at this start. */
  readonly adminMade: boolean;
}

/** What a start says: where it is, where its data is, how to sign in, how to stop. */
export function welcome({ address, setupToken, adminMade }: Started, settings: Settings): string {
  const reached = settings.publicUrl.replace(/\/+$/, '') || address;
  const lines: [string, string][] = [
    ...(reached === address ? [] : ([['Public', reached]] as [string, string][])),
    ['Reference', `${reached}/docs`],
    ['Data', dataPlace(settings)],
    ['Sign in', signIn(reached, setupToken, adminMade ? settings.adminEmail : undefined)],
    ['Stop', 'Ctrl+C'],
  ];
  return [`Trackway is at ${address}`, ...lines.map(([name, text]) => `  ${name.padEnd(9)}  ${text}`)].join('\n');
}

function signIn(reached: string, setupToken: string | undefined, adminMade: string | undefined): string {
  if (setupToken !== undefined)
    return `First make an admin with this link, which works once: ${reached}/setup#${setupToken}`;
  if (adminMade !== undefined) return `As the new admin ${adminMade}, with the password of TRACKWAY_ADMIN_PASSWORD`;
  return 'With your account ("trackway user list" shows who has one)';
}
