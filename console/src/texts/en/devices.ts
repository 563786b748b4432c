export const devices = {
  title: 'Devices',
  search: 'Search devices',
  add: 'Add device',
  filterByTag: 'Filter by tag',
  anyValue: (name: string) => `${name}: any value`,
  filters: 'Filters in use',
  endFilter: (tag: string) => `Stop filtering by ${tag}`,
  list: 'Devices',
  none: 'No devices yet',
  noneHint: 'Add a phone, a tracker or a simulated device and see it on the map.',
  noMatch: 'No devices found',
  noMatchHint: 'No device has a name, type or tag that matches your search and filters.',
  name: 'Name',
  state: 'Status',
  speed: 'Speed',
  battery: 'Battery',
  heard: 'Last seen',
  never: 'Never',
  sortBy: (column: string) => `Sort by ${column.toLowerCase()}`,
  count: (shown: string, all: string) => {
    const unit = all === '1' ? 'device' : 'devices';
    return shown === all ? `${all} ${unit}` : `${shown} of ${all} ${unit}`;
  },
  onMap: 'Show on map',
  shared: 'Shared with you',
};
