import { layers, namedFlavor } from '@protomaps/basemaps';
import type { MapFileInfo } from '@trackway/contract/resources/service/maps.ts';
import {
  addProtocol,
  type ExpressionSpecification,
  type LayerSpecification,
  type StyleSpecification,
} from 'maplibre-gl';
import { PMTiles, Protocol, type RangeResponse, type Source } from 'pmtiles';
import { freshToken } from '../../api/session.ts';
import { NAMES_LANGUAGE } from '../../language.ts';
import { offlineStyle } from '../basemap.ts';
import type { Theme } from '../colors.ts';
import { FONT_FACES } from './fonts.ts';

/** Streets from a map file of this server: style and fonts come from here too, so no internet connection is needed. */

// Without metadata: a region without woods does not list that layer, and the map would report an error.
const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** Reads parts of a map file as the signed-in user; the map of the server is public. */
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
export async function regionStyle(file: MapFileInfo, theme: Theme, isAlone: boolean): Promise<StyleSpecification> {
  let archive = protocol.get(file.path);
  if (archive === undefined) {
    archive = new PMTiles(new MapFileSource(file.path));
    protocol.add(archive);
  }
  const [world, about] = await Promise.all([isAlone ? undefined : offlineStyle(theme), archive.getMetadata()]);
  const flavor = namedFlavor(theme);
  // Bounds from the server, because a file may have none.
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
          .map(fitted);
  const around: LayerSpecification[] = world?.layers.map((layer) => below(layer, file.minZoom, flavor)) ?? [
    { id: 'world-land', type: 'background', paint: { 'background-color': flavor.earth } },
  ];
  return {
    version: 8,
    name: file.name,
    'font-faces': FONT_FACES,
    sources: { ...world?.sources, region: file.kind === 'raster' ? { ...source, tileSize: 256 } : source },
    layers: [...around, ...drawn],
  } as StyleSpecification;
}

/** The attribution as plain text: markup in a file is not trusted. */
function creditIn(about: unknown): string {
  const { attribution } = (about ?? {}) as { attribution?: unknown };
  if (typeof attribution !== 'string') return '';
  const text = new DOMParser().parseFromString(attribution, 'text/html').body.textContent ?? '';
  return text.slice(0, 200).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Layers with images that are not bundled, or that cover the world outside the region. */
const UNWANTED = new Set(['background', 'roads_oneway', 'roads_shields']);

/** The names stay if their icon is not bundled, and where a file does not rank them. */
function fitted(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const { 'icon-image': _icon, 'symbol-sort-key': rank, ...layout } = layer.layout ?? {};
  if (rank === undefined) return { ...layer, layout };
  // The styles rank names by an expression, never by a function of the older form. No rank becomes 0.
  const orLast: ExpressionSpecification = ['to-number', rank as ExpressionSpecification];
  return { ...layer, layout: { ...layout, 'symbol-sort-key': orLast } };
}

/** The world around the region in its colours; names only at zooms where the region has none. */
function below(
  layer: LayerSpecification,
  minZoom: number,
  flavor: { earth: string; water: string },
): LayerSpecification {
  const id = `world-${layer.id}`;
  if (layer.type === 'symbol')
    return { ...layer, id, maxzoom: Math.max(layer.minzoom ?? 0, Math.min(layer.maxzoom ?? 24, minZoom)) };
  if (layer.id === 'water')
    return {
      ...layer,
      id,
      metadata: { water: flavor.water },
      paint: { ...layer.paint, 'background-color': flavor.earth },
    } as LayerSpecification;
  if (layer.id === 'land') return { ...layer, id, paint: { 'fill-color': flavor.earth } } as LayerSpecification;
  return { ...layer, id };
}
