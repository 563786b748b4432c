import type { MultiPolygon, Polygon, Position } from 'geojson';
import { feature } from 'topojson-client';
import type { Topology } from './topology.ts';

/** `[name, lng, lat, size]`: in the middle of the largest part; size is the square root of its area, in degrees. */
export type CountryLabel = readonly [string, number, number, number];

export function countryLabels(topology: Topology): CountryLabel[] {
  const { features } = feature(topology as never, topology.objects.countries as never) as unknown as {
    features: { properties: { name: string }; geometry: Polygon | MultiPolygon }[];
  };
  return features
    .map(({ properties, geometry }): CountryLabel => {
      const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
      const rings = parts.map((part) => measured(part[0]!));
      const { area, lng, lat } = rings.reduce((one, other) => (other.area > one.area ? other : one));
      const size = Math.sqrt(area * Math.cos((lat * Math.PI) / 180));
      return [properties.name, tenth(lng), tenth(lat), tenth(size)];
    })
    .sort((one, other) => other[3] - one[3]);
}

const tenth = (value: number) => Math.round(value * 10) / 10;

/** Area and centre of gravity of a ring, in degrees. */
function measured(ring: Position[]): { area: number; lng: number; lat: number } {
  let [twice, lng, lat] = [0, 0, 0];
  for (const [index, [x1, y1]] of ring.entries()) {
    const [x2, y2] = ring[(index + 1) % ring.length]! as [number, number];
    const cross = x1! * y2 - x2 * y1!;
    twice += cross;
    lng += (x1! + x2) * cross;
    lat += (y1! + y2) * cross;
  }
  return twice === 0
    ? { area: 0, lng: ring[0]![0]!, lat: ring[0]![1]! }
    : { area: Math.abs(twice / 2), lng: lng / (3 * twice), lat: lat / (3 * twice) };
}
