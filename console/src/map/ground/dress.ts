import { PUBLIC_MAP } from '@trackway/contract/resources/service/maps.ts';
import type { ErrorEvent, Map as MapLibre, StyleSpecification } from 'maplibre-gl';
import { offlineStyle } from '../basemap.ts';
import type { Theme } from '../colors.ts';
import type { Ground } from './grounds.ts';

/** The result of loading a background. */
export interface Dressed {
  /** The visible background: the bundled map if another could not be loaded. */
  readonly kind: Ground['kind'];
  readonly theme: Theme;
  readonly hasFailed: boolean;
  /** Servers in the style that the page may not call. */
  readonly foreign: readonly string[];
}

interface Wanted {
  readonly ground: Ground;
  readonly theme: Theme;
  readonly isRegionAlone: boolean;
  readonly hosts: readonly string[];
}

/** Loads a background, or the bundled one if that fails. Undefined if both fail. */
export async function dress(
  map: MapLibre,
  { ground, theme, isRegionAlone, hosts }: Wanted,
  /** Called right before a style is replaced. */
  onReplace: () => void,
): Promise<Dressed | undefined> {
  const loaded = ground.kind === 'world' ? undefined : await put(map, styleOf(ground, theme, isRegionAlone), onReplace);
  if (loaded === undefined && (await put(map, offlineStyle(theme), onReplace)) === undefined) return undefined;
  return {
    kind: loaded ? ground.kind : 'world',
    theme,
    hasFailed: ground.kind !== 'world' && loaded === undefined,
    foreign:
      loaded && ground.kind === 'style'
        ? foreignIn(loaded, [location.origin, new URL(ground.url).origin, ...hosts])
        : [],
  };
}

/** The style once it is on the map; undefined if it can't be loaded, or is none. */
async function put(
  map: MapLibre,
  style: Promise<StyleSpecification>,
  onReplace: () => void,
): Promise<StyleSpecification | undefined> {
  try {
    const read = await style;
    onReplace();
    await settled(map, read);
    addWaterAfterLand(map);
    return read;
  } catch {
    return undefined;
  }
}

async function styleOf(
  ground: Exclude<Ground, { kind: 'world' }>,
  theme: Theme,
  isRegionAlone: boolean,
): Promise<StyleSpecification> {
  if (ground.kind === 'region') {
    const { regionStyle } = await import('./region-style.ts');
    return regionStyle(ground.file, theme, isRegionAlone);
  }
  const isPublic = ground.url === PUBLIC_MAP.light;
  if (isPublic && theme === 'dark') return read(PUBLIC_MAP.dark).catch(() => read(ground.url));
  return read(ground.url);
}

async function read(url: string): Promise<StyleSpecification> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`The map style answered ${answer.status}`);
  return (await answer.json()) as StyleSpecification;
}

function settled(map: MapLibre, style: StyleSpecification): Promise<void> {
  return new Promise((resolve, reject) => {
    // An error of the style itself has no source. Such a style never finishes loading.
    const fail = (event: ErrorEvent) => {
      if ('sourceId' in event && event.sourceId !== undefined) return;
      end();
      reject(event.error);
    };
    const succeed = () => {
      end();
      resolve();
    };
    const end = () => {
      map.off('error', fail);
      map.off('style.load', succeed);
    };
    map.on('error', fail);
    map.on('style.load', succeed);
    map.setStyle(style, { diff: false });
  });
}

/** The bundled map begins with the color of land: water around it is shown once the land itself is there. */
function addWaterAfterLand(map: MapLibre): void {
  const layer = ['water', 'world-water'].find((id) => map.getLayer(id));
  const color = layer && (map.getLayer(layer)?.metadata as { water?: string } | undefined)?.water;
  if (!layer || !color) return;
  const show = () => {
    // Another style may be on the map by now.
    if (map.getSource('land') && !map.isSourceLoaded('land')) return;
    map.off('sourcedata', show);
    if (map.getLayer(layer)) map.setPaintProperty(layer, 'background-color', color);
  };
  map.on('sourcedata', show);
}

/** The servers in a style that are not allowed. */
function foreignIn({ sources, sprite, glyphs }: StyleSpecification, allowed: readonly string[]): string[] {
  const named = Object.values(sources).flatMap((source) => [
    ...('url' in source && source.url ? [source.url] : []),
    ...('tiles' in source && source.tiles ? source.tiles : []),
    ...('data' in source && typeof source.data === 'string' ? [source.data] : []),
  ]);
  const sprites = typeof sprite === 'string' ? [sprite] : (sprite ?? []).map(({ url }) => url);
  const origins = [...named, ...sprites, ...(glyphs ? [glyphs] : [])]
    .filter((address) => /^https?:/i.test(address) && URL.canParse(address))
    .map((address) => new URL(address).origin);
  return [...new Set(origins)].filter((origin) => !allowed.includes(origin));
}

const SATELLITE = /satellit|imagery|aerial|ortho/i;

/** The satellite layers of a style. */
export const satelliteLayers = (map: MapLibre): string[] =>
  (map.getStyle()?.layers ?? [])
    .filter(
      ({ type, id, ...layer }) => type === 'raster' && SATELLITE.test(`${id} ${'source' in layer ? layer.source : ''}`),
    )
    .map(({ id }) => id);

export function showSatellite(map: MapLibre, layers: readonly string[], isShown: boolean): void {
  for (const id of layers) map.setLayoutProperty(id, 'visibility', isShown ? 'visible' : 'none');
}
