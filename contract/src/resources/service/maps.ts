import { type Static, Type } from 'typebox';
import { operation } from '../../operation.ts';
import { list, noun, text } from '../../schema.ts';

/** The background of maps: `unset` until an admin has selected one. */
export const MAP_CHOICES = ['unset', 'world', 'public', 'style', 'region'] as const;

/** A free public street map made from OpenStreetMap data. Browsers load it from a third-party server. */
export const PUBLIC_MAP = {
  name: 'OpenFreeMap',
  host: 'https://tiles.openfreemap.org',
  light: 'https://tiles.openfreemap.org/styles/liberty',
  dark: 'https://tiles.openfreemap.org/styles/dark',
} as const;

/** The path of the map files in the data folder, by name. They are read with `Range` requests. */
export const MAP_FILES_PATH = '/map-files';

export const MAX_MAP_HOSTS = 20;

const whole = (description: string) => Type.Integer({ minimum: 0, description });

export const mapFile = Type.Object(
  {
    name: Type.String({ description: 'Name of the file, such as `berlin.pmtiles`.' }),
    path: Type.String({
      description:
        'Path on this server. The file is read with `Range` requests and a token; the one that was chosen as the map, without.',
    }),
    bytes: whole('Size of the file.'),
    kind: Type.Enum(['vector', 'raster'], { description: 'Whether it has vector tiles or pictures.' }),
    bounds: Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'West, south, east and north in degrees.',
    }),
    minZoom: whole('Lowest zoom level.'),
    maxZoom: whole('Highest zoom level.'),
  },
  { title: 'map file' },
);
export type MapFileInfo = Static<typeof mapFile>;

const choice = Type.Enum([...MAP_CHOICES], {
  title: 'map choice',
  description:
    '`world`: the built-in map without streets. `public`: the free public street map. `style`: the style at `style`. `region`: the map file `region`. `unset`: not chosen yet.',
});

const maps = Type.Object(
  {
    choice,
    style: Type.String({ description: 'URL of the MapLibre style that maps use. Empty if they use none.' }),
    hosts: Type.Array(Type.String(), { description: 'Other servers that browsers may load the style’s data from.' }),
    region: Type.String({ description: 'Name of the map file that maps use. Empty if they use none.' }),
    isFixed: Type.Boolean({ description: 'Whether the style is set by `TRACKWAY_MAP_STYLE`, which comes first.' }),
    files: Type.Array(mapFile, { description: 'PMTiles files in the data folder.' }),
  },
  { title: 'maps' },
);
export type Maps = Static<typeof maps>;

export const mapChoice = noun(
  'mapChoice',
  {
    choice,
    style: text('URL of a MapLibre style, for `style`.', { maxLength: 2000 }),
    hosts: list(
      text('An origin such as `https://tiles.example.com`.', { maxLength: 300 }),
      'Other servers that browsers may load the style’s data from.',
      {
        maxItems: MAX_MAP_HOSTS,
      },
    ),
    region: text('Name of a map file in the data folder, for `region`.', { maxLength: 200 }),
  },
  { required: ['choice'], always: ['choice'], sentAs: 'map choice request' },
);

export const mapOperations = {
  getMaps: operation('GET', '/maps', 'user', {
    summary: 'Get the maps of this server',
    description: 'The background map, and the map files in the data folder.',
    answer: maps,
  }),
  chooseMap: operation('PUT', '/maps', 'admin', {
    summary: 'Choose the map of this server',
    description:
      'For all users and viewers of a link. The chosen file can be read without a token. Browsers load `public` and `style` from other servers; the content security policy of the console allows exactly these servers.',
    body: { noun: mapChoice, mode: 'create' },
    answer: maps,
    refuses: [422],
  }),
};
