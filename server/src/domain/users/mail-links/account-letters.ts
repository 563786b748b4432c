import { quotedName } from '../../../platform/harmless-text.ts';
import type { Content } from '../../../platform/outbox/channel.ts';

/** What is mailed about accounts. Names that users chose are quoted; nothing else in these texts is theirs. */

interface LetterText {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly link?: { readonly label: string; readonly address: string };
  /** After the link. */
  readonly after?: readonly string[];
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
const paragraph = (text: string) => `<p>${escaped(text)}</p>`;

function letter({ subject, lines, link, after = [] }: LetterText): Content {
  const text = [...lines, ...(link ? [`${link.label}: ${link.address}`] : []), ...after];
  const html = [
    ...lines.map(paragraph),
    ...(link ? [`<p><a href="${escaped(link.address)}">${escaped(link.label)}</a></p>`] : []),
    ...after.map(paragraph),
  ];
  return {
    type: 'text/plain',
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${html.join('')}</body></html>`,
  };
}

const NOT_YOU = 'If this was not you, ignore this mail: nothing changes.';

export const confirmLetter = (link: string) =>
  letter({
    subject: 'Confirm your e-mail address',
    lines: ['This address was given for an account on Trackway. Confirm that it is yours.'],
    link: { label: 'Confirm the address', address: link },
    after: ['The link works once, within two days.', NOT_YOU],
  });

export const changedLetter = (newEmail: string) =>
  letter({
    subject: 'Your e-mail address is being changed',
    lines: [
      `Somebody who knows your password asked to change the e-mail address of your Trackway account to ${newEmail}. It changes once the new address is confirmed.`,
      'If this was not you, change your password now and ask an admin for help.',
    ],
  });

export const resetLetter = (link: string) =>
  letter({
    subject: 'Choose a new password',
    lines: ['Somebody asked for a new password for your Trackway account.'],
    link: { label: 'Choose a new password', address: link },
    after: ['The link works once, within one hour. All sessions and tokens of the account end with it.', NOT_YOU],
  });

export const passwordChangedLetter = () =>
  letter({
    subject: 'Your password was changed',
    lines: [
      'The password of your Trackway account was changed by a link in a mail to this address. All sessions and tokens have ended.',
      'If this was not you, ask an admin for help.',
    ],
  });

export const secondFactorResetLetter = () =>
  letter({
    subject: 'Your second factor was removed',
    lines: [
      'An admin removed the authenticator app, the passkeys and the recovery codes of your Trackway account. All sessions and tokens have ended.',
      'Sign in and set up a second factor again. If you did not ask for this, change your password and tell an admin.',
    ],
  });

export const invitationLetter = (from: string | undefined, link: string) =>
  letter({
    subject: 'You are invited to Trackway',
    lines: [`${from ?? 'An admin'} invites you to an account on Trackway. Choose a password to begin.`],
    link: { label: 'Accept the invitation', address: link },
    after: ['The link works once, within seven days.', 'If you do not expect this, ignore this mail.'],
  });

/** What is shared, by the name that people give it. */
export type SharedThing =
  | { readonly device: string; readonly rights: 'view' | 'manage' }
  | { readonly groupOfDevices: string; readonly rights: 'view' | 'manage' }
  | { readonly listOfGeofences: string };

export interface Shared {
  /** The address of whoever shares it. */
  readonly from: string;
  readonly thing: SharedThing;
}

const kindOf = (thing: SharedThing) =>
  'device' in thing ? 'device' : 'groupOfDevices' in thing ? 'group of devices' : 'list of geofences';

function sharedLine({ from, thing }: Shared): string {
  const name =
    'device' in thing ? thing.device : 'groupOfDevices' in thing ? thing.groupOfDevices : thing.listOfGeofences;
  const rights = 'rights' in thing ? ` You may ${thing.rights} ${'device' in thing ? 'it' : 'its devices'}.` : '';
  return `${from} shared the ${kindOf(thing)} ${quotedName(name)} with you on Trackway.${rights}`;
}

/** To somebody with an account. */
export const sharedLetter = (shared: Shared, link: string) =>
  letter({
    subject: `A ${kindOf(shared.thing)} was shared with you`,
    lines: [sharedLine(shared)],
    link: { label: 'Open Trackway', address: link },
    after: [
      'device' in shared.thing
        ? 'Sign in with this address. You can leave the device at any time, on its page.'
        : 'Sign in with this address. You can leave the list at any time.',
    ],
  });

/** To somebody without an account. Without a link an admin has to make the account. */
export const sharedInvitationLetter = (shared: Shared, link: string | undefined) =>
  letter({
    subject: `A ${kindOf(shared.thing)} was shared with you`,
    lines: [sharedLine(shared)],
    ...(link && { link: { label: 'Choose a password and see it', address: link } }),
    after: link
      ? ['The link works once, within seven days.', 'If you do not expect this, ignore this mail.']
      : ['You will see it once an admin of the server has made an account with this address for you.'],
  });

export const recipientLetter = (from: string, link: string) =>
  letter({
    subject: 'May Trackway send you notifications?',
    lines: [
      `${from} wants notifications about a tracked device to be mailed to this address. Nothing else is mailed to you unless you agree.`,
    ],
    link: { label: 'Agree, or never be mailed', address: link },
    after: ['The same link lets you change your mind later.'],
  });
