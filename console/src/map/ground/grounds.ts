import type { MapFileInfo, Maps } from '@trackway/contract/resources/service/maps.ts';
import { t } from '../../texts/t.ts';

/** What a map is drawn on. */
export interface Background {
  readonly maps: Maps | undefined;
  /** Whether it is known which maps there are. */
  readonly isKnown: boolean;
  /** The address of the operator's overlay. */
  readonly overlay?: string;
  /** Whether a map file is drawn without the world around it, which is much to load. */
  readonly isRegionAlone?: boolean;
}

/** The backgrounds of maps. */
export type Ground =
  | { readonly kind: 'world'; readonly key: 'world'; readonly label: string }
  | { readonly kind: 'style'; readonly key: 'style'; readonly label: string; readonly url: string }
  | { readonly kind: 'region'; readonly key: string; readonly label: string; readonly file: MapFileInfo };

const WORLD: Ground = { kind: 'world', key: 'world', label: t.ground.world };

/** The available backgrounds; the bundled map is always included. */
export function groundsOf(maps: Maps | undefined): readonly Ground[] {
  const style: Ground[] = maps?.style
    ? [{ kind: 'style', key: 'style', label: t.ground.streets, url: maps.style }]
    : [];
  const regions = (maps?.files ?? []).map(
    (file): Ground => ({
      kind: 'region',
      key: `region:${file.name}`,
      label: file.name.replace(/\.pmtiles$/, ''),
      file,
    }),
  );
  return [...style, ...regions, WORLD];
}

/**
 * The shown background: the one selected in this browser, then that of the server. A map file in the data folder is
 * shown by default.
 */
export function groundFor(maps: Maps | undefined, chosen: string | undefined): Ground {
  const grounds = groundsOf(maps);
  const keyed = (key: string | undefined) => grounds.find((one) => one.key === key);
  const own = keyed(chosen);
  if (own) return own;
  switch (maps?.choice) {
    case 'style':
    case 'public':
      return keyed('style') ?? WORLD;
    case 'region':
      return keyed(`region:${maps.region}`) ?? WORLD;
    case 'unset':
      return grounds.find(({ kind }) => kind === 'region') ?? WORLD;
    default:
      return WORLD;
  }
}
