import { MAP_FILES_PATH, type MapFileInfo, type Maps } from '@trackway/contract/resources/service/maps.ts';
import type { Handlers } from '../../../calls.ts';
import { mapFiles } from '../../../platform/map-files/map-files.ts';
import { byCaller, recordAudit } from '../../audit/record.ts';
import type { Store } from '../../schema/tables.ts';
import { choiceIn, keepMapChoice, type MapChoice, mapChoiceOf } from './map-choice.ts';

export interface MapSettings {
  /** Style of the settings; it comes before what is chosen in the console. */
  readonly mapStyle: string;
  readonly mapHosts: string;
  /** Folder with map files. */
  readonly data: string;
}

/** What maps show below the devices. */
export interface ServerMaps {
  current(): Promise<Maps>;
  /** What anyone may know of them: whoever looks at a link sees the same map. */
  shown(): Promise<{ mapStyle: string; mapFile: MapFileInfo | null }>;
  /** The name of the map file that an admin has chosen, which anyone may read. */
  openFile(): Promise<string | undefined>;
  /** The addresses of other servers from which browsers load maps. */
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
const toldOf = ({ choice, style, hosts, region }: MapChoice) => ({
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
        await recordAudit(tx, { action: 'map.chosen', ...byCaller(call), detail: toldOf(choice) }, call.now);
      });
      return maps.current();
    },
  };
}
