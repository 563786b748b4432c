/** What a fleet does, at a glance. */
export const dashboard = {
  title: 'Overview',
  lead: 'What moves, what is silent and what needs you.',
  group: 'Group',
  now: 'Devices now',
  none: 'No devices yet',
  noneText: 'Add a device to see here what it does.',
  noneSilent: 'All devices have reported lately.',
  neverHeard: 'never heard',
  noneLow: 'No battery is low.',
  alarms: 'Not acknowledged',
  noneOpen: 'No warnings wait for somebody.',
  distance: 'Distance',
  silent: (number: string) => `Silent: ${number}`,
  batteries: (number: string) => `Low batteries: ${number}`,
  more: (number: string) => `${number} more`,
};
