export const personalData = {
  title: 'Data',
  lead: {
    device: 'Everything about the device as one archive, or erased for good.',
    user: 'Everything about you and your devices as one archive, or your account erased for good.',
  },
  export: 'Export everything',
  erase: { device: 'Erase device', user: 'Erase my account' },
  eraseTitle: (name: string) => `Erase ${name}?`,
  forGood: 'This cannot be undone, not even by an admin.',
  lost: {
    device: [
      'All positions, trips, stops and readings',
      'All notifications, triggers and forwarders',
      'Messages, settings and the key of the device',
      'Shares: nobody sees the device any more',
    ],
    user: [
      'Your account, sessions, tokens and passkeys',
      'All your devices with positions, trips and readings',
      'Your geofences, groups, rules, reports and notifications',
      'What you shared with others',
    ],
  },
  stays:
    'The audit trail stays, and so do backups and archives that were made before: the signed record that you get names them. Export first what you want to keep.',
  confirm: (name: string) => `Type “${name}” to confirm`,
  password: 'Your password',
  erased: 'Erased. The signed record was saved as a file.',
};
