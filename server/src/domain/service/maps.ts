import {
  MAP_FILES_PATH,
  type MapFileInfo,
  type Maps,
  type mapChoice,
  PUBLIC_MAP,
} from '@trackway/contract/resources/service/maps.ts';
import type { Sent } from '@trackway/contract/schema.ts';
import type { Handlers } from '../../calls.ts';
import { mapFiles } from '../../platform/formats/map-files.ts';
import { invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { installationText } from '../schema/installation-lease.ts';
import type { Store } from '../schema/tables.ts';

interface MapSettings {
  /** Style of the settings; it comes before what is chosen in the console. */
  readonly mapStyle: string;
  readonly mapHosts: string;
  /** Folder with map files. */
  readonly data: string;
}

/** What maps show below the devices. */
export interface ServerMaps {
  current(): Promise<Maps>;
  /** Public information: viewers of a link see the same map. */
  shown(): Promise<{ mapStyle: string; mapFile: MapFileInfo | null }>;
  /** The name of the map file that an admin has chosen, which anyone may read. */
  openFile(): Promise<string | undefined>;
  /** The addresses of other servers where browsers load maps. */
  addresses(): Promise<string[]>;
}

export function serverMaps(store: Store, { mapStyle, mapHosts, data }: MapSettings): ServerMaps {
  const fixedHosts = mapHosts
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean);
  const isFixed = mapStyle !== '';
  const chosen = async () =>
    isFixed ? { choice: 'style' as const, style: mapStyle, hosts: fixedHosts, region: '' } : mapChoiceOf(store);
  async function current(): Promise<Maps> {
    const [{ choice, style, hosts, region }, files] = await Promise.all([chosen(), mapFiles(data)]);
    return {
      choice,
      style,
      hosts: [...hosts],
      region,
      isFixed,
      files: files.map(({ version, bounds, ...file }) => ({
        ...file,
        bounds: [...bounds],
        path: `${MAP_FILES_PATH}/${encodeURIComponent(file.name)}?v=${version}`,
      })),
    };
  }
  return {
    current,
    async shown() {
      const { style, region, files } = await current();
      return { mapStyle: style, mapFile: files.find(({ name }) => name === region) ?? null };
    },
    async openFile() {
      return (await chosen()).region || undefined;
    },
    async addresses() {
      const { style, hosts } = await chosen();
      return [style, ...hosts, ...fixedHosts];
    },
  };
}

/** Styles often bear a key in their address, which is not for the audit trail. */
const reportOf = ({ choice, style, hosts, region }: MapChoice) => ({
  choice,
  ...(style !== '' && { servers: [new URL(style).origin, ...hosts] }),
  ...(region !== '' && { region }),
});

export function mapOperations(store: Store, maps: ServerMaps): Handlers<'getMaps' | 'chooseMap'> {
  return {
    getMaps: () => maps.current(),

    async chooseMap(call) {
      const { files } = await maps.current();
      const choice = choiceIn(
        call.body,
        files.map(({ name }) => name),
      );
      await store.transaction(async (tx) => {
        await keepMapChoice({ query: tx }, choice);
        await recordAudit(tx, { action: 'map.chosen', ...byCaller(call), detail: reportOf(choice) }, call.now);
      });
      return maps.current();
    },
  };
}

/** What an admin has chosen for the maps of all users. */
interface MapChoice {
  readonly choice: 'unset' | 'world' | 'public' | 'style' | 'region';
  readonly style: string;
  readonly hosts: readonly string[];
  readonly region: string;
}

/** Where this choice is kept. */
const NAME = 'mapChoice';
const NOTHING: MapChoice = { choice: 'unset', style: '', hosts: [], region: '' };

/** Read each time, since another node may have changed it. */
async function mapChoiceOf(store: Pick<Store, 'query'>): Promise<MapChoice> {
  const text = await installationText(store, NAME).load();
  return text === undefined ? NOTHING : { ...NOTHING, ...(JSON.parse(text) as Partial<MapChoice>) };
}

const keepMapChoice = (store: Pick<Store, 'query'>, choice: MapChoice): Promise<void> =>
  installationText(store, NAME).save(JSON.stringify(choice));

const isWebAddress = (address: string) => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

/** The choice in what was sent: only what belongs to its kind. */
function choiceIn({ choice, style, hosts, region }: Sent<typeof mapChoice>, files: readonly string[]): MapChoice {
  const refuse = (field: string, message: string) => invalidField('mapChoice', field, 'custom', message);
  switch (choice) {
    case 'style': {
      const address = (style ?? '').trim();
      if (!isWebAddress(address)) throw refuse('style', 'must be an address like https://example.com/style.json');
      const { username, password } = new URL(address);
      if (username !== '' || password !== '') throw refuse('style', 'must not contain a password');
      const wrong = (hosts ?? []).find((host) => !isWebAddress(host));
      if (wrong !== undefined) throw refuse('hosts', 'must be origins like https://tiles.example.com');
      const origins = [...new Set((hosts ?? []).map((host) => new URL(host).origin))];
      return { choice, style: address, hosts: origins.filter((one) => one !== new URL(address).origin), region: '' };
    }
    case 'region':
      if (!files.includes(region ?? '')) throw refuse('region', 'is not a map file in the data folder');
      return { ...NOTHING, choice, region: region! };
    case 'public':
      return { ...NOTHING, choice, style: PUBLIC_MAP.light };
    default:
      return { ...NOTHING, choice: choice ?? 'unset' };
  }
}
