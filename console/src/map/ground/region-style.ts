import { layers, namedFlavor } from '@protomaps/basemaps';
import type { MapFileInfo } from '@trackway/contract/resources/service/maps.ts';
import { addProtocol, type LayerSpecification, type StyleSpecification } from 'maplibre-gl';
import { PMTiles, Protocol, type RangeResponse, type Source } from 'pmtiles';
import { freshToken } from '../../api/session.ts';
import { NAMES_LANGUAGE } from '../../language.ts';
import { offlineStyle } from '../basemap.ts';
import type { Theme } from '../colors.ts';
import { FONT_FACES } from './fonts.ts';

/** Streets from a map file of this server: style and fonts come from here too, so that no internet is needed. */

// Without metadata: a region without woods lists no such layer, and the map would complain.
const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** Reads parts of a map file as whoever is signed in; the map of the server is there for anyone. */
class MapFileSource implements Source {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  getKey(): string {
    return this.#path;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal): Promise<RangeResponse> {
    const token = await freshToken();
    const answer = await fetch(this.#path, {
      headers: { range: `bytes=${offset}-${offset + length - 1}`, ...(token && { authorization: token }) },
      ...(signal && { signal }),
    });
    if (answer.status !== 206) {
      await answer.body?.cancel();
      throw new Error(`The map file answered ${answer.status}`);
    }
    return { data: await answer.arrayBuffer(), etag: answer.headers.get('etag') ?? undefined };
  }
}

/** The style of a map file. Fails if the file cannot be read. */
export async function regionStyle(file: MapFileInfo, theme: Theme): Promise<StyleSpecification> {
  let archive = protocol.get(file.path);
  if (archive === undefined) {
    archive = new PMTiles(new MapFileSource(file.path));
    protocol.add(archive);
  }
  const [world, about] = await Promise.all([offlineStyle(theme), archive.getMetadata()]);
  const flavor = namedFlavor(theme);
  // Bounds as the server knows them: a file may say none.
  const source = {
    type: file.kind,
    tiles: [`pmtiles://${file.path}/{z}/{x}/{y}`] as string[],
    minzoom: file.minZoom,
    maxzoom: file.maxZoom,
    bounds: file.bounds as [number, number, number, number],
    attribution: creditIn(about),
  };
  const drawn: LayerSpecification[] =
    file.kind === 'raster'
      ? [{ id: 'region', type: 'raster', source: 'region' }]
      : (layers('region', flavor, { lang: NAMES_LANGUAGE }) as LayerSpecification[])
          .filter(({ id }) => !UNWANTED.has(id))
          .map(withoutIcon);
  return {
    ...world,
    name: file.name,
    'font-faces': FONT_FACES,
    sources: { ...world.sources, region: file.kind === 'raster' ? { ...source, tileSize: 256 } : source },
    layers: [...world.layers.map((layer) => below(layer, file.minZoom, flavor)), ...drawn],
  } as StyleSpecification;
}

/** Whose data it is, as plain text: a file is not trusted with markup. */
function creditIn(about: unknown): string {
  const { attribution } = (about ?? {}) as { attribution?: unknown };
  if (typeof attribution !== 'string') return '';
  const text = new DOMParser().parseFromString(attribution, 'text/html').body.textContent ?? '';
  return text.slice(0, 200).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Drawn with pictures that are not bundled, or covering the world outside of the region. */
const UNWANTED = new Set(['background', 'roads_oneway', 'roads_shields']);

/** The names stay where the picture beside them is not bundled. */
function withoutIcon(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol' || layer.layout?.['icon-image'] === undefined) return layer;
  const { 'icon-image': _icon, ...layout } = layer.layout;
  return { ...layer, layout };
}

/** The world around the region in its colours; its names only as far out as the region has none. */
function below(
  layer: LayerSpecification,
  minZoom: number,
  flavor: { earth: string; water: string },
): LayerSpecification {
  const id = `world-${layer.id}`;
  if (layer.type === 'symbol')
    return { ...layer, id, maxzoom: Math.max(layer.minzoom ?? 0, Math.min(layer.maxzoom ?? 24, minZoom)) };
  if (layer.id === 'water') return { ...layer, id, paint: { 'background-color': flavor.water } } as LayerSpecification;
  if (layer.id === 'land') return { ...layer, id, paint: { 'fill-color': flavor.earth } } as LayerSpecification;
  return { ...layer, id };
}
