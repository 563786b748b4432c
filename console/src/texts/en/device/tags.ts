/** Tags of a device, `name:value` or a name alone. */
export const deviceTags = {
  title: 'Tags',
  none: 'No tags yet. Tags group devices, and the list of devices can be filtered by them.',
  list: 'Tags of this device',
  name: 'Name',
  namePlaceholder: 'depot',
  value: 'Value',
  valuePlaceholder: 'north',
  valueHint: 'The value is optional. A tag has one value: a new one replaces it.',
  add: 'Add tag',
  remove: (tag: string) => `Remove ${tag}`,
  removed: (tag: string) => `“${tag}” was removed`,
  undo: 'Undo',
  colonInName: 'A name cannot contain a colon. Enter what follows it as the value.',
  tooLong: 'Name and value can have 99 characters together.',
  devicesWith: (tag: string) => `Devices with ${tag}`,
};
