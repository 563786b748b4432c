import type { AccountTexts } from './account-texts.ts';

export const en: AccountTexts = {
  quotes: ['“', '”'],
  notYou: 'If this was not you, ignore this mail: nothing changes.',
  notExpected: 'If you do not expect this, ignore this mail.',
  twoDays: 'The link works once, within two days.',
  sevenDays: 'The link works once, within seven days.',
  confirm: {
    subject: 'Confirm your e-mail address',
    line: 'This address was given for an account on Trackway. Confirm that it is yours.',
    link: 'Confirm the address',
  },
  changed: {
    subject: 'Your e-mail address is being changed',
    line: (newEmail) =>
      `Somebody who knows your password asked to change the e-mail address of your Trackway account to ${newEmail}. It changes once the new address is confirmed.`,
    notYou: 'If this was not you, change your password now and ask an admin for help.',
  },
  reset: {
    subject: 'Choose a new password',
    line: 'Somebody asked for a new password for your Trackway account.',
    link: 'Choose a new password',
    after: 'The link works once, within one hour. All sessions and tokens of the account end with it.',
  },
  passwordChanged: {
    subject: 'Your password was changed',
    line: 'The password of your Trackway account was changed by a link in a mail to this address. All sessions and tokens have ended.',
    notYou: 'If this was not you, ask an admin for help.',
  },
  factorReset: {
    subject: 'Your second factor was removed',
    line: 'An admin removed the authenticator app, the passkeys and the recovery codes of your Trackway account. All sessions and tokens have ended.',
    next: 'Sign in and set up a second factor again. If you did not ask for this, change your password and tell an admin.',
  },
  invitation: {
    subject: 'You are invited to Trackway',
    line: (from) => `${from ?? 'An admin'} invites you to an account on Trackway. Choose a password to begin.`,
    link: 'Accept the invitation',
  },
  shared: {
    subject: {
      device: 'A device was shared with you',
      list: 'A list of geofences was shared with you',
      group: 'A group of devices was shared with you',
    },
    line: {
      device: (from, name) => `${from} shared the device ${name} with you on Trackway.`,
      list: (from, name) => `${from} shared the list of geofences ${name} with you on Trackway.`,
      group: (from, name) => `${from} shared the group of devices ${name} with you on Trackway.`,
    },
    rights: {
      device: { view: 'You may view it.', manage: 'You may manage it.' },
      group: { view: 'You may view its devices.', manage: 'You may manage its devices.' },
    },
    open: 'Open Trackway',
    leave: {
      device: 'Sign in with this address. You can leave the device at any time, on its page.',
      list: 'Sign in with this address. You can leave the list at any time.',
      group: 'Sign in with this address. You can leave the group at any time.',
    },
    join: 'Choose a password and see it',
    wait: 'You will see it once an admin of the server has made an account with this address for you.',
  },
  recipient: {
    subject: 'May Trackway send you notifications?',
    line: (from) =>
      `${from} wants notifications about a tracked device to be mailed to this address. Nothing else is mailed to you unless you agree.`,
    link: 'Agree, or never be mailed',
    after: 'The same link lets you change your mind later.',
  },
};
