/** Pages that links in mails lead to, and what mails them. */
export const byMail = {
  forgot: 'Forgot your password?',
  forgotLead: 'Enter the e-mail address of your account. You will get a link to choose a new password.',
  email: 'E-mail address',
  forgotSubmit: 'Send link',
  forgotSent: 'Check your e-mail',
  forgotSentText: (email: string) =>
    `If ${email} belongs to an account, a link is on its way. It works once, for one hour. If nothing arrives, look in the spam folder or ask an admin.`,
  toSignIn: 'Go to sign-in',

  reset: 'Choose a new password',
  resetLead: 'You will be signed out everywhere, and all tokens of your account will be revoked.',
  newPassword: 'New password',
  newPasswordHint: 'At least 8 characters.',
  resetSubmit: 'Set password',
  resetDone: 'Your password is set',
  resetDoneText: 'Sign in with your new password.',
  noToken: 'The link is incomplete: the part after # is missing. Open the full link from the mail.',

  confirm: 'Confirm your e-mail address',
  confirmLead: 'Confirm that you received the mail at this address.',
  confirmSubmit: 'Confirm address',
  confirmed: 'Address confirmed',
  confirmedText: (email: string) => `${email} is now the address of your account.`,
  goOn: 'Go to Trackway',

  accept: 'Welcome to Trackway',
  acceptLead: 'Choose a password to create your account.',
  name: 'Your name',
  acceptSubmit: 'Create account',

  answer: 'May we mail you?',
  answerLead:
    'Somebody would like Trackway to send you notifications about a device. You decide, and you can change your mind with the same link.',
  allow: 'Yes, send them',
  refuse: 'No, never mail me',
  allowed: 'You will get the notifications',
  allowedText: (email: string) => `They will be sent to ${email}. To stop them, open this link again.`,
  refused: 'You will not be mailed',
  refusedText: (email: string) => `Trackway will not mail ${email} again, except about an account of your own.`,

  unconfirmed: (email: string) =>
    `${email} is not confirmed yet. Devices shared with this address appear once it is confirmed.`,
  waiting: (email: string) => `Open the link mailed to ${email} to finish changing your address.`,
  sendAgain: 'Send link again',
  sent: (email: string) => `A link is on its way to ${email}`,

  invite: 'Invite by e-mail',
  inviteText: 'They get a link, valid for seven days, to choose their own password.',
  inviteSubmit: 'Send invitation',
  invited: (email: string) => `Invitation sent to ${email}`,
  invitations: 'Pending invitations',
  fromShare: 'For a shared device',
  expires: 'Expires',
  expired: 'Expired',
  resend: 'Send again',
  resendTo: (email: string) => `Send again to ${email}`,
  revoke: (email: string) => `Revoke the invitation of ${email}`,
  revokeTitle: (email: string) => `Revoke the invitation of ${email}?`,
  revokeText: 'The link in the mail stops working immediately.',
  revokeAction: 'Revoke',
  revoked: (email: string) => `Invitation of ${email} revoked`,
};
