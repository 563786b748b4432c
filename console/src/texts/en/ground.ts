/** What lies below the devices on every map, and who chooses it. */
export const ground = {
  layers: 'Map layers',
  world: 'World outline',
  streets: 'Streets',
  satellite: 'Satellite',
  region: (name: string) => name.replace(/\.pmtiles$/, ''),
  failed: 'The street map could not be loaded. You see the built-in map.',
  retry: 'Try again',
  foreign: (hosts: string) => `This map style also loads data from ${hosts}. An admin can allow it in Settings.`,
  choose: 'Choose another map',
  noStreets: 'This map has no streets yet.',
  chooseStreets: 'Choose a map',

  title: 'Map',
  lead: 'What maps show below your devices, for all users of this server.',
  fixed: 'The operator has set the map with TRACKWAY_MAP_STYLE, so it cannot be changed here.',
  choices: {
    world: 'Built-in world map',
    public: 'Public street map',
    style: 'Own map style',
    region: 'Map file on this server',
  },
  hints: {
    world: 'Coasts, borders and towns. No streets. Nothing is loaded from elsewhere.',
    public: (host: string) =>
      `Streets of the whole world from OpenFreeMap, made from OpenStreetMap data, free of charge. Browsers load it from ${host}, which therefore sees their IP address and the area they look at.`,
    style: 'Any MapLibre style, such as that of your own tile server. Browsers load it from there.',
    region:
      'Streets without the internet. Put a PMTiles file with the Protomaps basemap of your region into the data folder of the server, then choose it here.',
  },
  style: 'Style URL',
  stylePlaceholder: 'https://tiles.example.com/style.json',
  hosts: 'Other servers of the style',
  hostsHint: 'Where it loads tiles, fonts and icons from, if not from the same server. Separate them by spaces.',
  file: 'Map file',
  noFiles: 'There is no .pmtiles file in the data folder yet.',
  megabytes: (megabytes: string) => `${megabytes} MB`,
  ask: (host: string) => `Browsers of all users will load the map from ${host}.`,
  save: 'Use this map',
  first: 'Do you want streets on the map?',
  later: 'Later',
};
