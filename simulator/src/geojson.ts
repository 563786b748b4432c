import type { City } from './city.ts';
import { latOf, runningLngOf, type Spot } from './ground.ts';

/** The city as a map layer. Longitudes continue beyond ±180 at the antimeridian, so that no line jumps. */

export interface Feature {
  readonly type: 'Feature';
  readonly properties: Readonly<Record<string, string | number | boolean>>;
  readonly geometry:
    | { readonly type: 'LineString'; readonly coordinates: readonly (readonly number[])[] }
    | { readonly type: 'Point'; readonly coordinates: readonly number[] };
}

export interface FeatureCollection {
  readonly type: 'FeatureCollection';
  readonly features: readonly Feature[];
}

export function geoJsonOf({ ground, network, addresses }: City): FeatureCollection {
  // A precision of 0.1 m.
  const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  const at = ({ x, y }: Spot) => [rounded(runningLngOf(ground, x)), rounded(latOf(ground, y))];
  const line = (spots: readonly Spot[], properties: Feature['properties']): Feature => ({
    type: 'Feature',
    properties,
    geometry: { type: 'LineString', coordinates: spots.map(at) },
  });
  return {
    type: 'FeatureCollection',
    features: [
      line(network.river, { kind: 'river' }),
      ...network.streets.map(({ a, b, kind, limitKmh, isBridge, isTunnel }) =>
        line([network.nodes[a]!, network.nodes[b]!], { kind, limitKmh, isBridge, isTunnel }),
      ),
      ...addresses.map(
        (address): Feature => ({
          type: 'Feature',
          properties: { kind: address.kind, name: address.name },
          geometry: { type: 'Point', coordinates: at(address) },
        }),
      ),
    ],
  };
}
