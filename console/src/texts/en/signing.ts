export const signing = {
  title: 'Sign in',
  name: 'E-mail address or username',
  password: 'Password',
  stays: 'Stay signed in',
  staysHint: 'Until this browser has not been used here for two weeks.',
  submit: 'Sign in',
  failed: 'Incorrect name or password. Check both and try again.',
  tooMany: (seconds: number) =>
    `Too many attempts. Wait ${seconds === 1 ? '1 second' : `${seconds} seconds`}, then try again.`,
  expired: 'Your session has expired. Sign in to continue.',
  setupTitle: 'Set up Trackway',
  setupLead: 'Create the first account. It will be an admin account, which can view and change everything.',
  email: 'E-mail address',
  newPassword: 'Password',
  newPasswordHint: 'At least 8 characters.',
  setupSubmit: 'Create admin account',
  needsSetup: 'Set up this server',
  needsSetupText:
    'This server has no account yet. Open the set-up link that it printed when it started; the link contains /setup#. If you no longer have it, restart the server to get a new one.',
  needsSetupDone: 'I have opened the link',
  noToken:
    'The link is incomplete: the part after # is missing. Open the full link that the server printed when it started.',
};
