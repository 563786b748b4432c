import type { Dialect } from './dialect.ts';
import { column, type Sql, sql } from './sql.ts';
import type { Near } from './term.ts';

/** The mean radius of the Earth. */
const earthRadiusM = 6_371_008.8;

/** Metres from a place on the sphere, by the haversine formula; NULL if a row has no place. */
export function distanceM(dialect: Dialect, near: Near): Sql {
  const [lat, lng] = [column(`${near.name}Lat`), column(`${near.name}Lng`)];
  const halfLat = sql`sin(radians(${lat} - ${dialect.number(near.lat)}) / 2)`;
  const halfLng = sql`sin(radians(${lng} - ${dialect.number(near.lng)}) / 2)`;
  const cosines = sql`${dialect.number(Math.cos((near.lat * Math.PI) / 180))} * cos(radians(${lat}))`;
  const haversine = sql`${halfLat} * ${halfLat} + ${cosines} * ${halfLng} * ${halfLng}`;
  // Rounding may raise the argument above 1 at the antipode, where asin is undefined.
  return sql`${dialect.number(2 * earthRadiusM)} * asin(${dialect.least(dialect.number(1), sql`sqrt(${haversine})`)})`;
}

/** The distance to sort by, in whole millimetres: below that the arithmetic of the engines differs. */
export function distanceMm(dialect: Dialect, near: Near): Sql {
  return sql`round(1000 * (${distanceM(dialect, near)}))`;
}
