import { type mapChoice, PUBLIC_MAP } from '@trackway/contract/resources/service/maps.ts';
import type { Sent } from '@trackway/contract/schema.ts';
import { invalidField } from '../../../refusals.ts';
import { installationText } from '../../schema/installation-value.ts';
import type { Store } from '../../schema/tables.ts';

/** What an admin has chosen for the maps of all users. */
export interface MapChoice {
  readonly choice: 'unset' | 'world' | 'public' | 'style' | 'region';
  readonly style: string;
  readonly hosts: readonly string[];
  readonly region: string;
}

/** Where this choice is kept. */
const NAME = 'mapChoice';
const NOTHING: MapChoice = { choice: 'unset', style: '', hosts: [], region: '' };

/** Read each time, since another node may have changed it. */
export async function mapChoiceOf(store: Pick<Store, 'query'>): Promise<MapChoice> {
  const text = await installationText(store, NAME).load();
  return text === undefined ? NOTHING : { ...NOTHING, ...(JSON.parse(text) as Partial<MapChoice>) };
}

export const keepMapChoice = (store: Pick<Store, 'query'>, choice: MapChoice): Promise<void> =>
  installationText(store, NAME).save(JSON.stringify(choice));

const isWebAddress = (address: string) => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);

/** The choice in what was sent: only what belongs to its kind. */
export function choiceIn(
  { choice, style, hosts, region }: Sent<typeof mapChoice>,
  files: readonly string[],
): MapChoice {
  const refuse = (field: string, message: string) => invalidField('mapChoice', field, 'custom', message);
  switch (choice) {
    case 'style': {
      const address = (style ?? '').trim();
      if (!isWebAddress(address)) throw refuse('style', 'must be an address like https://example.com/style.json');
      const { username, password } = new URL(address);
      if (username !== '' || password !== '') throw refuse('style', 'must not hold a password');
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
